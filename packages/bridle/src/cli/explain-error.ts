// The last words of a command that failed: one line, and the exit code.
import { FabricError } from '../client/fabric/error.ts'
import { EXIT_CODES, ExitError } from './command.ts'
import { commandName } from './command-name.ts'
import { startFlags, UnreachableError } from './config/server-url.ts'
import { refusalText } from './refusal-text.ts'
import { escapeControls } from './terminal/output.ts'
import { wrapRemark } from './terminal/text-lines.ts'

/** The codes of Node for a certificate that it does not trust. */
const CERTIFICATE_CODE = /^(ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

/** The code of the certificate's problem; null = the connection failed for another reason. */
export const certificateProblem = (error: unknown): string | null => {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code } = each as NodeJS.ErrnoException
    if (typeof code === 'string' && CERTIFICATE_CODE.test(code)) return code
  }
  return null
}

/** An error in one line. Status 400 is a usage error: the caller can correct it. */
export const explainError = (error: unknown): { readonly code: number; readonly message: string } => {
  // A server, a file or a person wrote parts of the message: it goes to a terminal.
  const message = escapeControls(error instanceof Error ? refusalText(error) : String(error))
  if (error instanceof ExitError) return { code: error.code, message }
  if (!(error instanceof FabricError)) return { code: EXIT_CODES.failed, message }
  const certificate = certificateProblem(error)
  if (certificate !== null) return { code: EXIT_CODES.failed, message: certificateText(certificate) }
  const hints: { readonly [status: number]: string } = {
    0: startText(error),
    401: ` Set FABRIC_HARNESS_API_TOKEN to the token of the server. If ${commandName()} start --token runs at that address on this machine, name its data folder with --data instead.`,
  }
  return {
    code: error.status === 400 ? EXIT_CODES.usage : EXIT_CODES.failed,
    message: message + (hints[error.status] ?? ''),
  }
}

/** The message as it is printed: on a terminal of so many columns its words are not broken; a pipe gets it as it is. */
export const errorText = (message: string, columns: number | null): string => {
  const text = `bridle: ${message}`
  return columns === null ? text : wrapRemark(text, columns).join('\n')
}

/** How to get a server at the address that was asked. */
const startText = ({ cause }: Error): string => {
  const flags = cause instanceof UnreachableError ? startFlags(cause.url) : null
  return flags === null
    ? ' Start one there, or name another server with --url.'
    : ` Start one with ${commandName()} start${flags}, or name the server with --url.`
}

const certificateText = (code: string): string =>
  `The certificate of the server is not trusted, or not for the name in --url (${code}). NODE_EXTRA_CA_CERTS=FILE trusts the certificate in a file.`
