package org.diffindex.lab.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class TextTableTest {
    private static List<String> printed(TextTable table, int firstNumber) {
        StringWriter out = new StringWriter();
        table.print(new PrintWriter(out, true), firstNumber);
        return out.toString().lines().toList();
    }

    @Test
    void alignsTextToTheLeftAndNumbersToTheRight() {
        TextTable table = new TextTable("FAULT", "DONE", "FAILED");
        table.row("flush", "12", "0");
        table.row("kill-master", "3,456", "1");
        assertThat(printed(table, 1))
                .containsExactly(
                        "FAULT         DONE  FAILED", //
                        "flush           12       0",
                        "kill-master  3,456       1");
    }

    @Test
    void noLineEndsInBlanks() {
        TextTable table = new TextTable("A", "NOTE");
        table.row("x", "");
        assertThat(printed(table, 2)).containsExactly("A  NOTE", "x");
    }
}
