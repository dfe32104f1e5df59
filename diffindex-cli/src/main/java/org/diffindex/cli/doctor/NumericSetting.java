package org.diffindex.cli.doctor;

/** Parses settings whose values are numbers. */
final class NumericSetting {
    private NumericSetting() {}

    /**
     * Returns a whole number.
     *
     * @throws IllegalArgumentException if the setting is not a whole number
     */
    static int toInt(String setting) {
        try {
            return Integer.parseInt(setting);
        } catch (NumberFormatException e) {
            throw noNumber(setting, e);
        }
    }

    /**
     * Returns a number.
     *
     * @throws IllegalArgumentException if the setting is not a number
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
                "A server has the setting '" + setting
                        + "' where a number is required; nothing was changed; correct it in" + " hbase-site.xml",
                cause);
    }
}
