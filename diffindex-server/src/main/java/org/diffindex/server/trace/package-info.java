/** The spans of index maintenance for OpenTelemetry. */
package org.diffindex.server.trace;
