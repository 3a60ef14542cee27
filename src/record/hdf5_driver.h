// An HDF5 file driver under which a killed process leaves a file that any reader opens in the plain way.
//
// HDF5's own answer to that, SWMR, marks the file as being written, and readers refuse it until the mark is cleared by hand.
// Without it HDF5 writes metadata in the order of its cache: an index may point to a node that is not there yet, a dataset be
// longer than its index knows. This driver lets sample data through, holds all metadata back until H5Fflush, and then writes
// them in an order in which the file is whole after each single write:
//   1. what lies in new space, to which nothing in the file refers yet;
//   2. the superblock, whose end of file now covers it;
//   3. index nodes in place, parents before children, so that entries which move are in two places rather than in none;
//   4. all else in place: the headers that hold the datasets' lengths.
// It asks two things of its user: the old file format (version 1 B-trees), and that sample data are never moved or freed.
// This holds for a killed process; nothing is synced against a power failure.
#pragma once

#include <hdf5.h>

namespace catena {

// The driver's identifier, for H5Pset_driver(access, id, nullptr). Opens files for writing, from scratch, only.
hid_t ordered_hdf5_driver();

}  // namespace catena
