package tideover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tideover.Tideover.Json;

class JsonTest {
    private static final String TEXT =
            """
            {"a":{"b":[1,-2.50,true,null,"\\u00e9\\n\\"\\/\\\\"]},"empty":[{},[]],"large":9223372036854775808}""";

    @Test
    void pathsLeadIntoIt() {
        Json json = Json.parse(" " + TEXT + "\n");
        assertEquals(1, json.number("a.b.0"));
        assertEquals(new BigDecimal("-2.50"), json.at("a.b.1").value());
        assertTrue(json.flag("a.b.2"));
        assertNull(json.text("a.b.3"));
        assertFalse(json.has("a.b.3"));
        assertEquals("é\n\"/\\", json.text("a.b.4"));
        assertEquals(new BigDecimal("9223372036854775808"), json.at("large").value());
        assertEquals(2, json.items("empty").size());
    }

    @Test
    void aPathThatLeadsNowhereSaysSo() {
        Json json = Json.parse("{\"a\":[1]}");
        NoSuchElementException nothing = assertThrows(NoSuchElementException.class, () -> json.text("a.1"));
        assertEquals("There is no a.1 in {\"a\":[1]}", nothing.getMessage());
        assertThrows(ClassCastException.class, () -> json.text("a.0"));
        assertThrows(ClassCastException.class, () -> json.number("a"));
        assertThrows(ClassCastException.class, json::items);
    }

    @Test
    void whatIsWrittenIsReadAgain() {
        Json json = Json.parse(TEXT);
        assertEquals(json, Json.parse(json.toString()));
        assertEquals(json.hashCode(), Json.parse(json.toString()).hashCode());
        List<?> list = Arrays.asList(1, (short) 2, 2.5, null, Instant.EPOCH, Json.of("x"), List.of());
        Json made = Json.of(Map.of("list", list));
        assertEquals("{\"list\":[1,2,2.5,null,\"1970-01-01T00:00:00Z\",\"x\",[]]}", made.toString());
        assertEquals("\"\\u0000\\\"\"", Json.of("\0\"").toString());
        assertThrows(IllegalArgumentException.class, () -> Json.of(new Object()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{,}", "{\"a\"}", "[1,]", "01", "1.", "1 2", "tru", "NaN", "\"a", "\"\\x\"", "\"\n\""})
    void whatIsNoJsonIsRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> Json.parse(text));
    }
}
