/** Runs tasks concurrently, for the modules of Diff-Index. Not part of the public API: it may change at any time. */
package org.diffindex.tasks;
