package org.mockito.configuration;

/**
 * Mockito's defaults. Mockito asks for a class of this name in each thread that uses a mock, which takes milliseconds if there is
 * none: then every jar of the class path is searched for it.
 */
public final class MockitoConfiguration extends DefaultMockitoConfiguration {}
