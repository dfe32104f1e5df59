package org.diffindex.cli;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints what is wrong with the arguments and where to find help, and returns exit code 2. */
final class WrongUsage implements IParameterExceptionHandler {
    @Override
    public int handleParseException(ParameterException wrong, String[] args) {
        CommandLine command = wrong.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("diffindex: " + wrong.getMessage());
        UnmatchedArgumentException.printSuggestions(wrong, err);
        err.println("Usage: " + command.getCommandSpec().qualifiedName() + " --help");
        err.flush();
        return CommandLine.ExitCode.USAGE;
    }
}
