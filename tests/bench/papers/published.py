# SPDX-License-Identifier: LGPL-2.1-or-later
"""The figures of the five papers, as they print them."""

COMPONENTS = {
    "title": "F. Lemaitre, A. Hennequin, L. Lacassagne: Taming voting algorithms on GPUs for an efficient connected component "
             "analysis algorithm",
    "gpu": "A100",
    # Table 1: mean throughput over the densities, Gpix/s, at 8192 x 8192.
    "columns": ["g = 1", "g = 4", "g = 16", "full image"],
    "throughput": {
        "naive": [0.966, 0.994, 0.985, 0.337],
        "HA": [4.22, 13.2, 25.8, 16.6],
        "HA+OTF": [14.6, 28.7, 59.3, 66.2],
        "HA+CD": [13.8, 23.9, 27.4, 16.6],
        "FLSL": [4.85, 19.1, 61.9, 244],
        "FLSL+OTF": [20.8, 65.1, 160, 238],
        "FLSL+CD": [24.5, 83.2, 170, 244],
    },
}

BORDERS = {
    "title": "V. M. Garcia-Molla, P. Alonso-Jordá, R. García-Laguía: Parallel border tracking in binary images using GPUs",
    "sizes": [(1232, 1028), (2464, 2056), (4928, 4112)],
    # Tables 1 and 2: milliseconds, means of 19 images.
    "tables": {
        "Tesla K40c, Xeon E5-2697 v3": {
            "preprocessing": [0.29, 1.10, 4.41], "tracking": [3.79, 11.17, 40.78], "connection": [4.81, 2.51, 2.57],
            "total GPU": [8.89, 14.79, 47.76], "OpenCV": [22.06, 38.27, 54.00]},
        "Quadro RTX 5000, i9-7960X": {
            "preprocessing": [0.07, 0.25, 0.95], "tracking": [0.36, 0.63, 1.93], "connection": [0.37, 0.69, 0.77],
            "total GPU": [0.80, 1.57, 3.65], "OpenCV": [22.47, 48.46, 120.78]},
    },
    # Table 5: upload / download of an image, milliseconds, RTX 5000.
    "transfers": ["0.21 / 0.19", "0.70 / 0.52", "2.62 / 1.92"],
}

CRACKS = {
    "title": "M. U. Butt, J. Morris, N. Patel, M. Biglari-Abhari: Contour generation for multivalued streamed images using crack "
             "codes on a GPU",
    "gpu": "GTX 480",
    # Table 2, grey chequers: by number of values, then by size of a square: CPCC total, MCC, MCC*, contours. Milliseconds.
    "chequers": {
        128: {128: (955, 29, 25, 214), 64: (933, 29, 25, 496), 32: (1001, 29, 25, 880), 16: (1040, 29, 26, 3550),
              8: (1070, 31, 27, 7122), 4: (1112, 36, 32, 13186), 2: (1189, 57, 53, 23761), 1: (1287, 145, 140, 40081)},
        256: {128: (1870, 48, 40, 342), 64: (1911, 48, 40, 1079), 32: (1991, 48, 40, 1270), 16: (1998, 48, 41, 4895),
              8: (1987, 49, 42, 4478), 4: (2082, 53, 46, 7626), 2: (2128, 69, 61, 13163), 1: (2193, 137, 125, 21833)},
    },
    # Table 3, disparity maps: contours, threshold, cracks, contour, total. Milliseconds; None: the method has no such phase.
    "disparity": {
        "scene 1, CPCC": (24481, 249, None, 822, 1071), "scene 1, MCC": (24481, None, 7.5, 26, 33.5),
        "scene 1, MCC*": (24481, None, 7.5, 21.9, 29.4), "scene 2, CPCC": (25947, 246, None, 830, 1076),
        "scene 2, MCC": (25947, None, 7.5, 32.5, 40), "scene 2, MCC*": (25947, None, 7.5, 27.5, 35),
    },
    # Table 4, binary images: by kind, then by size: CC, PCC, CPCC, MCC, MCC*, contours. Milliseconds.
    "binary": {
        "chequers": {128: (12, 16, 14, 10, 10, 14), 64: (12, 14, 13, 11, 11, 117), 32: (15, 17, 14, 14, 14, 611),
                     16: (20, 22, 26, 27, 25, 2729), 8: (34, 40, 35, 76, 69, 11593), 4: (75, 100, 84, 309, 264, 47753),
                     2: (197, 256, 263, 1206, 1040, 193611), 1: (664, 882, 887, 4801, 4132, 778384)},
        "HL": {128: (13, 13, 15, 10.3, 10.3, 3), 64: (13, 13, 15, 10.3, 10.3, 6), 32: (16, 14, 22, 10.4, 10.4, 12),
               16: (14, 16, 18, 10.4, 10.4, 24), 8: (17, 19, 20, 10.5, 10.5, 48), 4: (21, 26, 19, 10.7, 10.7, 96),
               2: (29, 40, 28, 11, 11, 192), 1: (45, 67, 43, 12, 12, 383)},
        "VL": {128: (11, 12, 11, 10, 10, 8), 64: (12, 14, 12, 10.7, 10.7, 16), 32: (13, 15, 14, 10.8, 10.8, 32),
               16: (16, 18, 17, 11, 11, 64), 8: (17, 22, 19, 11.2, 11.2, 128), 4: (26, 31, 25, 11.6, 11.6, 256),
               2: (41, 48, 36, 12.5, 12.5, 512), 1: (56, 80, 54, 15, 15, 1023)},
    },
}

CANNY = {
    "title": "J. Lam: Edge Detection - Canny Filter Implementation",
    # Tables 1, 2, 4, 5: by image: size, CPU overall, GPU overall, seconds; then the GPU's kernels (tables 2 and 5), seconds.
    "images": {
        "skyline500": ((500, 333), 0.206662, 0.003606, (0.000265, 0.000756, 0.000299, 0.000385, 0.000321, 0.001217)),
        "skyline1k": ((1000, 667), 0.830951, 0.008689, (0.000737, 0.001451, 0.001084, 0.000772, 0.000521, 0.002757)),
        "skyline2.5k": ((2500, 1667), 5.131639, 0.039141, (0.002767, 0.007824, 0.006579, 0.003750, 0.001737, 0.012947)),
        "skyline5k": ((5000, 3334), 20.5032, 0.141744, (0.009557, 0.029554, 0.025391, 0.012856, 0.007436, 0.046046)),
        "skyline10k": ((10000, 6667), 83.60738, 0.539666, (0.035608, 0.113994, 0.101429, 0.049072, 0.027187, 0.173481)),
        "skyline14k": ((14091, 9394), 167.053442, 1.07665, (0.073921, 0.225898, 0.203151, 0.098592, 0.054493, 0.340547)),
        "lizard": ((4444, 3136), 17.294973, 0.117525, (0.007841, 0.024333, 0.019585, 0.009991, 0.005778, 0.040881)),
        "rocks": ((7680, 4320), 41.319512, 0.270621, (0.017504, 0.057933, 0.052028, 0.024648, 0.013698, 0.085383)),
        "moon": ((14694, 8266), 152.664951, 0.983041, (0.068982, 0.207798, 0.201424, 0.090547, 0.049114, 0.290910)),
    },
    "kernels": ["grey", "blur", "Sobel", "edge thinning", "threshold", "hysteresis"],
    # Table 6, lizard: the blur alone, by sigma: naive, separable, seconds.
    "blur": {1: (0.048326, 0.018326), 2: (0.132040, 0.024333), 3: (0.277972, 0.029375), 4: (0.473423, 0.037768),
             5: (0.707206, 0.049688)},
}

SNAKE = {
    "title": "Perrot, Domas, Couturier, Bertaux: GPU implementation of a region-based algorithm for large images "
             "segmentation",
    # Table 1: by megapixels: side of ours, then CPU and GPU (C2050) seconds: total, pre-computations, segmentation.
    "table": {15: (3900, (0.51, 0.13, 0.46), (0.06, 0.02, 0.04)), 100: (10000, (4.08, 0.91, 3.17), (0.59, 0.13, 0.46)),
              150: (12247, (5.7, 1.4, 4.3), (0.79, 0.20, 0.59))},
    "bytes_per_pixel": 20,
}
