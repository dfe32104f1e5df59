package org.diffindex.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

class FlightsTest {
    @Test
    void theSliceHasAHundredThousandRowsInTheOrderOfTheirKeys() throws IOException {
        Flights flights = Flights.first(Flights.SHIPPED + 1);
        assertThat(flights.size()).isEqualTo(100_000);
        assertThat(flights.rows().stream().map(Flight::id)).isSorted().doesNotHaveDuplicates();
        assertThat(flights.get(0)).isEqualTo(new Flight("0000000", "2001-01-01T00:01", "33", "2176", "LAS", "PHL"));
        assertThat(flights.get(1)).isEqualTo(new Flight("0000030", "2001-01-01T00:12", "112", "279", "PIT", "SYR"));
        assertThat(flights.rows().stream().filter(flight -> flight.origin().equals("ORD")))
                .hasSize(5_609);
    }

    @Test
    void theSliceNamesItsColumns() throws IOException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(Flights.class.getResourceAsStream("flights-100k.csv.gz")),
                StandardCharsets.UTF_8))) {
            assertThat(lines.readLine()).isEqualTo("flight_id,date,delay,distance,origin,destination");
        }
        assertThat(Flights.class.getResource("flights-100k.README")).isNotNull();
    }

    @Test
    void dividesItselfIntoParts() throws IOException {
        Flights flights = Flights.first(3_000);
        assertThat(flights.idSplits(3))
                .containsExactly(flights.get(1_000).id(), flights.get(2_000).id());
        assertThat(flights.originSplits(3)).hasSize(2).isSorted();
    }

    @Test
    void changesTheSameOriginsInEveryRun() throws IOException {
        Flights flights = Flights.first(1_000);
        assertThat(Origins.change(flights, 7).toString())
                .isEqualTo(Origins.change(Flights.first(1_000), 7).toString());
        assertThat(Story.traveller(flights).origin()).isEqualTo("ORD");
    }

    @Test
    void describesPunctualityInWords() {
        assertThat(Story.punctuality(33)).isEqualTo("33 min late");
        assertThat(Story.punctuality(0)).isEqualTo("on time");
        assertThat(Story.punctuality(-3)).isEqualTo("3 min early");
    }
}
