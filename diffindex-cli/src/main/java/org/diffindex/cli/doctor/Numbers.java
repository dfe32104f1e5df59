package org.diffindex.cli.doctor;

/** Reads the numbers in settings. */
final class Numbers {
    private Numbers() {}

    /**
     * A whole number.
     *
     * @throws IllegalArgumentException if it is none
     */
    static int toInt(String setting) {
        try {
            return Integer.parseInt(setting);
        } catch (NumberFormatException e) {
            throw noNumber(setting, e);
        }
    }

    /**
     * A number.
     *
     * @throws IllegalArgumentException if it is none
     */
    static double toDouble(String setting) {
        try {
            return Double.parseDouble(setting);
        } catch (NumberFormatException e) {
            throw noNumber(setting, e);
        }
    }

    private static IllegalArgumentException noNumber(String setting, NumberFormatException cause) {
        return new IllegalArgumentException(
                "A server is set to '" + setting + "' where a number should be; nothing was changed; put it right in"
                        + " hbase-site.xml",
                cause);
    }
}
