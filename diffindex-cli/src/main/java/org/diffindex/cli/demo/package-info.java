/** The demo: four schemes on real flights, measured side by side and compared entry by entry. */
package org.diffindex.cli.demo;
