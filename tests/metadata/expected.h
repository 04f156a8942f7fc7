/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What contourexport writes of the sample's components without optional features. */
#ifndef EXPECTED_H
#define EXPECTED_H

#define HEAD "{\"schema\":\"gst-cuda-contours/1\",\"frame\":"
#define PLAIN                                                                                                     \
  ",\"resolution\":{\"width\":8,\"height\":6},\"threshold\":128,\"connectivity\":8,\"count\":3,\"components\":["  \
  "{\"label\":1,\"area\":3,\"x\":1,\"y\":0,\"w\":2,\"h\":2,\"cx\":1.3333333333333333,\"cy\":0.3333333333333333}," \
  "{\"label\":2,\"area\":4,\"x\":6,\"y\":1,\"w\":2,\"h\":3,\"cx\":6.5,\"cy\":1.75},"                              \
  "{\"label\":3,\"area\":1,\"x\":0,\"y\":5,\"w\":1,\"h\":1,\"cx\":0,\"cy\":5}]}\n"
#define CSV_HEADER                                                                              \
  "frame,pts,timestamp,source,width,height,corrupted,interlaced,label,area,x,y,w,h,cx,cy,"      \
  "orientation,major_axis,minor_axis,eccentricity,min,max,mean,std,"                            \
  "id,hole,parent,perimeter,point_count,level,coordinates,points,unfinished,"                   \
  "object,converged,restarted,iterations,criterion,gain,"                                       \
  "inside_count,inside_mean,inside_variance,outside_count,outside_mean,outside_variance,value," \
  "depth,birth,death\n"
#define EMPTY_REST ",,,,,,,,,,,,,,,,"
#define CSV_PLAIN(frame, pts)                                                                                          \
  frame "," pts "," pts                                                                                                \
        ",finder,8,6,0,0,1,3,1,0,2,2,1.3333333333333333,0.3333333333333333,,,,,,,,,,,,,,,,,0" EMPTY_REST "\n" frame    \
        "," pts "," pts ",finder,8,6,0,0,2,4,6,1,2,3,6.5,1.75,,,,,,,,,,,,,,,,,0" EMPTY_REST "\n" frame "," pts "," pts \
        ",finder,8,6,0,0,3,1,0,5,1,1,0,5,,,,,,,,,,,,,,,,,0" EMPTY_REST "\n"

#endif
