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
#define CSV_HEADER                                                                                            \
  "frame,pts,timestamp,source,width,height,corrupted,interlaced,label,area,x,y,w,h,cx,cy,"                    \
  "orientation,major_axis,minor_axis,eccentricity,min,max,mean,std,"                                          \
  "id,hole,parent,perimeter,point_count,level,coordinates,points,unfinished,"                                 \
  "object,converged,restarted,iterations,criterion,gain,"                                                     \
  "inside_count,inside_mean,inside_variance,outside_count,outside_mean,outside_variance,value,"               \
  "depth,birth,death,region,"                                                                                 \
  "circularity,touches_frame,hull_area,hull_perimeter,solidity,defect_depth,defect_x,defect_y,"               \
  "rectangle_x,rectangle_y,rectangle_width,rectangle_height,rectangle_angle,rectangularity,"                  \
  "feret_max,feret_max_angle,feret_min,feret_min_angle,circle_x,circle_y,circle_radius,"                      \
  "distance_mean,distance_deviation,distance_max,roundness,radial_circularity,"                               \
  "hole_area,holes,euler_number,"                                                                             \
  "compactness,feret_extent,line_x,line_y,line_angle,line_deviation,"                                         \
  "fit_circle_x,fit_circle_y,fit_circle_radius,fit_circle_deviation,"                                         \
  "ellipse_x,ellipse_y,ellipse_major,ellipse_minor,ellipse_angle,subpixels,open,start_junction,end_junction," \
  "unit,world_area,world_perimeter,world_x,world_y,world_w,world_h,world_cx,world_cy,"                        \
  "world_orientation,world_major_axis,world_minor_axis,world_hull_area,"                                      \
  "world_hull_perimeter,world_defect_depth,world_defect_x,world_defect_y,"                                    \
  "world_rectangle_x,world_rectangle_y,world_rectangle_width,world_rectangle_height,"                         \
  "world_rectangle_angle,world_feret_max,world_feret_max_angle,world_feret_min,"                              \
  "world_feret_min_angle,world_circle_x,world_circle_y,world_circle_radius,"                                  \
  "world_distance_mean,world_distance_deviation,world_distance_max,world_hole_area,"                          \
  "world_points,p5,p25,median,p75,p95,inscribed_radius,inscribed_x,inscribed_y,ring_mean,contrast,"           \
  "skeleton_length,skeleton_width,skeleton_pixels,class,running_time,utc,dropped\n"
/* Neither a shape, 44 columns, nor subpixels, nor a chain, 3 columns, nor units of the world, 34 columns, nor a class. */
#define NO_WORLD                                  \
  ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,," \
  ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,"
#define NO_SHAPE NO_WORLD ",,,,,,,,,,,,,,"
#define EMPTY_REST ",,,,,,,,,,,,,,,,," NO_SHAPE
/* The last columns, of files: of a frame at 0, and of one without a time. Nothing was dropped. */
#define CLOCK_0 ",0,,0\n"
#define NO_CLOCK ",,,0\n"
#define CSV_PLAIN(frame, pts)                                                                                     \
  frame "," pts "," pts                                                                                           \
        ",finder,8,6,0,0,1,3,1,0,2,2,1.3333333333333333,0.3333333333333333,,,,,,,,,,,,,,,,,0" EMPTY_REST "," pts  \
        ",,0\n" frame "," pts "," pts ",finder,8,6,0,0,2,4,6,1,2,3,6.5,1.75,,,,,,,,,,,,,,,,,0" EMPTY_REST "," pts \
        ",,0\n" frame "," pts "," pts ",finder,8,6,0,0,3,1,0,5,1,1,0,5,,,,,,,,,,,,,,,,,0" EMPTY_REST "," pts ",,0\n"

#endif
