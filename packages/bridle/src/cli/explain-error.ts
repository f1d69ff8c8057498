// The last words of a command that failed: one line, and the exit code.
import { FabricError } from '../client/fabric/error.ts'
import { EXIT_CODES, ExitError } from './command.ts'
import { commandName } from './command-name.ts'
import { escapeControls } from './terminal/output.ts'

/** An error in one line. Status 400 is a usage error: the caller can correct it. */
export const explainError = (error: unknown): { readonly code: number; readonly message: string } => {
  // A server, a file or a person wrote parts of the message: it goes to a terminal.
  const message = escapeControls(error instanceof Error ? error.message : String(error))
  if (error instanceof ExitError) return { code: error.code, message }
  if (!(error instanceof FabricError)) return { code: EXIT_CODES.failed, message }
  const hints: { readonly [status: number]: string } = {
    0: ` Start one with ${commandName()} start, or name the server with --url.`,
    401: ` Set FABRIC_HARNESS_API_TOKEN to the token of the server, or --data to the data folder of ${commandName()} start --token.`,
  }
  return {
    code: error.status === 400 ? EXIT_CODES.usage : EXIT_CODES.failed,
    message: message + (hints[error.status] ?? ''),
  }
}
