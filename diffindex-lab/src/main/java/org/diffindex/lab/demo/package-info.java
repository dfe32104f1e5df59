/**
 * The demo: four schemes on real flights, measured side by side and compared entry by entry.
 *
 * <p>Imports the modules below the lab and, from the lab, {@code output} and {@code steps}.
 */
package org.diffindex.lab.demo;
