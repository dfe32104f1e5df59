/**
 * Jobs for large tables on an existing MapReduce engine: {@link org.diffindex.mapreduce.BuildJob} backfills an index, {@link
 * org.diffindex.mapreduce.ScrubJob} compares one with its table.
 */
package org.diffindex.mapreduce;
