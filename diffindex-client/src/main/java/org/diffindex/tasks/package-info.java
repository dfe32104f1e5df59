/** Running several things at a time, for the packages of this module. Not for applications: it may change at any time. */
package org.diffindex.tasks;
