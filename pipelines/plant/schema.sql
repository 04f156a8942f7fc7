-- SPDX-License-Identifier: LGPL-2.1-or-later
-- The frames of all cameras, none twice. psql --file=schema.sql may run again: it changes nothing that is there.
CREATE SCHEMA IF NOT EXISTS plant;

-- epoch: when the sender of the camera was started, by the clock of its host. It tells starts apart, and need not be right.
CREATE TABLE IF NOT EXISTS plant.frames (
  camera text NOT NULL,
  epoch timestamptz NOT NULL,
  frame bigint NOT NULL CHECK (frame >= 0),
  arrived timestamptz NOT NULL DEFAULT clock_timestamp(),
  captured timestamptz,
  lines jsonb NOT NULL, -- one object for each element that has analysed the frame
  PRIMARY KEY (camera, epoch, frame)
);

-- What came again: brokers deliver a message again when an acknowledgement was lost.
CREATE TABLE IF NOT EXISTS plant.duplicates (
  camera text NOT NULL,
  epoch timestamptz NOT NULL,
  refused bigint NOT NULL,
  PRIMARY KEY (camera, epoch)
);

-- Messages that are no frames, kept as they came, so that one of them cannot hold up the others.
CREATE TABLE IF NOT EXISTS plant.unreadable (
  arrived timestamptz NOT NULL DEFAULT clock_timestamp(),
  topic text NOT NULL,
  payload bytea NOT NULL,
  reason text NOT NULL
);

-- Takes one message: the lines of JSON of one frame. Whatever it is, one row tells of it when this is committed. The broker lets a
-- camera write below contours/CAMERA alone, so a message that names another camera could keep out frames of that one.
CREATE OR REPLACE FUNCTION plant.take_message (message_topic text, message bytea) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  objects jsonb;
  head jsonb;
  started timestamptz;
BEGIN
  BEGIN
    SELECT jsonb_agg(line::jsonb) INTO STRICT objects
      FROM regexp_split_to_table(convert_from(message, 'UTF8'), '\n') AS line WHERE line <> '';
    head := objects -> 0;
    IF head ->> 'camera' IS NULL OR head ->> 'epoch' IS NULL OR head ->> 'frame' IS NULL THEN
      RAISE EXCEPTION 'camera, epoch or frame is missing';
    ELSIF head ->> 'epoch' !~ '^[0-9]{8}T[0-9]{6}[.][0-9]{6}Z$' THEN -- PostgreSQL also knows "yesterday"
      RAISE EXCEPTION 'the epoch % is not of the form 20300131T235959.123456Z', head ->> 'epoch';
    END IF;
    IF head ->> 'camera' <> split_part(message_topic, '/', 2) THEN
      RAISE EXCEPTION 'the topic of the camera % is not %', head ->> 'camera', message_topic;
    ELSIF EXISTS (SELECT FROM jsonb_array_elements(objects) AS line WHERE (line -> 'camera', line -> 'epoch', line -> 'frame')
                    IS DISTINCT FROM (head -> 'camera', head -> 'epoch', head -> 'frame')) THEN
      RAISE EXCEPTION 'the lines are of several frames';
    END IF;
    started := (head ->> 'epoch')::timestamptz;
    INSERT INTO plant.frames (camera, epoch, frame, captured, lines)
      VALUES (head ->> 'camera', started, (head ->> 'frame')::bigint, (head ->> 'utc')::timestamptz, objects)
      ON CONFLICT DO NOTHING;
  EXCEPTION WHEN data_exception OR raise_exception OR check_violation OR program_limit_exceeded THEN
    -- The last one: too deep for the parser, too long a name for the index, more than a value of jsonb can hold.
    INSERT INTO plant.unreadable (topic, payload, reason) VALUES (message_topic, message, SQLERRM);
    RETURN;
  END;
  IF NOT FOUND THEN
    INSERT INTO plant.duplicates AS d VALUES (head ->> 'camera', started, 1)
      ON CONFLICT (camera, epoch) DO UPDATE SET refused = d.refused + 1;
  END IF;
END
$$;

-- Runs of frame numbers that are missing between two that are there, and before the first one.
CREATE OR REPLACE VIEW plant.gaps AS
  SELECT camera, epoch, before + 1 AS first, frame - 1 AS last, frame - before - 1 AS missing
    FROM (SELECT camera, epoch, frame, lag(frame, 1, -1::bigint) OVER (PARTITION BY camera, epoch ORDER BY frame) AS before
            FROM plant.frames) AS pairs
    WHERE frame > before + 1;

-- One row for each start of each camera. Frames that are missing after the last one are not seen here: nobody knows whether
-- there were any, but the sender's last report.
CREATE OR REPLACE VIEW plant.report AS
  SELECT camera, epoch, count(*) AS received, max(frame) AS last_frame, max(frame) + 1 - count(*) AS missing,
      (SELECT count(*) FROM plant.gaps AS g WHERE g.camera = f.camera AND g.epoch = f.epoch) AS gaps,
      coalesce((SELECT refused FROM plant.duplicates AS d WHERE d.camera = f.camera AND d.epoch = f.epoch), 0)
        AS duplicates_refused,
      min(arrived) AS first_arrival, max(arrived) AS last_arrival
    FROM plant.frames AS f GROUP BY camera, epoch ORDER BY camera, epoch;
