import { FabricError } from '@bridle/client/http/error'
import { EXIT_CODES, ExitError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { startFlags, UnreachableError } from '../config/server-url.ts'
import { escapeControls } from '../terminal/output.ts'
import { wrapRemark } from '../terminal/text-lines.ts'
import { refusalText } from './refusal-text.ts'

const CERTIFICATE_CODE = /^(ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

interface CertificateError extends Error {
  readonly code: string
  readonly host?: string
  readonly cert?: { readonly subjectaltname?: string; readonly subject?: { readonly CN?: string | string[] } }
}

export const certificateProblem = (error: unknown): CertificateError | null =>
  causeWith(error, (code) => CERTIFICATE_CODE.test(code)) as CertificateError | null

const causeWith = (error: unknown, isIt: (code: string) => boolean): NodeJS.ErrnoException | null => {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code } = each as NodeJS.ErrnoException
    if (typeof code === 'string' && isIt(code)) return each
  }
  return null
}

/** Status 400 is a usage error, because the caller can correct it. */
export const explainError = (error: unknown): { readonly code: number; readonly message: string } => {
  // Parts of the message come from servers, files or people, and it goes to a terminal.
  const message = escapeControls(error instanceof Error ? refusalText(error) : String(error))
  if (error instanceof ExitError) return { code: error.code, message }
  if (!(error instanceof FabricError)) return { code: EXIT_CODES.failed, message }
  const certificate = certificateProblem(error)
  if (certificate !== null) return { code: EXIT_CODES.failed, message: escapeControls(certificateText(certificate)) }
  const hints: { readonly [status: number]: string } = {
    0: startText(error),
    401: ` Set FABRIC_HARNESS_API_TOKEN to the token of the server. If ${commandName()} start --token runs at that address on this machine, name its data folder with --data instead.`,
  }
  const text = error.status === 0 ? escapeControls(unreachableText(error)) : message
  return {
    code: error.status === 400 ? EXIT_CODES.usage : EXIT_CODES.failed,
    message: text + (hints[error.status] ?? ''),
  }
}

/** Wraps at word boundaries on a terminal. Unchanged in a pipe. */
export const errorText = (message: string, columns: number | null): string => {
  const text = `bridle: ${message}`
  return columns === null ? text : wrapRemark(text, columns).join('\n')
}

const CONNECTION_CAUSES: { readonly [code: string]: string } = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed by the other side',
  UND_ERR_SOCKET: 'connection closed by the other side',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'the host name could not be resolved',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
}

const unreachableText = (error: Error): string => {
  const { cause } = error
  if (!(cause instanceof UnreachableError)) return error.message
  const code = causeWith(cause, () => true)?.code
  const reason = code === undefined ? innermostMessage(cause) : (CONNECTION_CAUSES[code] ?? code)
  return `No Bridle answers at ${cause.url}: ${reason}.`
}

/** `fetch` hides some reasons, such as blocked ports, in a cause without a code. */
const innermostMessage = (error: Error): string =>
  error.cause instanceof Error ? innermostMessage(error.cause) : error.message

const startText = ({ cause }: Error): string => {
  const flags = cause instanceof UnreachableError ? startFlags(cause.url) : null
  return flags === null
    ? ' Start one there, or name another server with --url.'
    : ` Start one with ${commandName()} start${flags}, or name the server with --url.`
}

const certificateText = ({ code, host, cert }: CertificateError): string => {
  if (code === 'CERT_HAS_EXPIRED') return 'The certificate of the server has expired.'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' && host !== undefined)
    return `The certificate of the server is for ${certifiedNames(cert)}, and not for ${host}. Name the server in --url as its certificate does.`
  return `The certificate of the server is not trusted (${code}). NODE_EXTRA_CA_CERTS=FILE trusts the certificate in a file.`
}

/** The names of a certificate, from `DNS:a.example, IP Address:10.0.0.1`. Old certificates have only a common name. */
const certifiedNames = ({ subjectaltname, subject }: NonNullable<CertificateError['cert']> = {}): string => {
  const names = subjectaltname?.split(', ').map((each) => each.replace(/^[\w ]+:/, '')) ?? [subject?.CN ?? []].flat()
  return names.length === 0 ? 'another name' : names.join(', ')
}
