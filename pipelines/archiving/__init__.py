# SPDX-License-Identifier: LGPL-2.1-or-later
"""What pipelines/archive.py is made of. Ray carries this package to every worker, so it imports nothing else of the project.

inputs: which files there are. parts: pictures, videos and segments of videos. wholeness: files that were cut short. media: frames of a
file through the elements. tables: their metadata as Arrow tables. store: the folder of results. worker: analyses tasks, in a process
of Ray. cluster: hands tasks to workers."""
import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstContours", "1.0")
