package org.mockito.configuration;

/**
 * Mockito's defaults. In each thread that uses a mock, Mockito looks for a class of this name; if there is none, it
 * searches every jar of the class path, which takes milliseconds.
 */
public final class MockitoConfiguration extends DefaultMockitoConfiguration {}
