// Requests that Node's parser rejects get the usual error format, and the connection closes.
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { jsonText } from '@bridle/surfaces/http/answers/json-response'
import { badRequest, toResponse } from '@bridle/surfaces/http/denials/denial'
import { faultDenial } from '@bridle/surfaces/http/denials/kernel-denials'
import { RequestError } from '@hono/node-server'

type ParserErrorReply = readonly [status: number, error: unknown]

/** By parser error code. Any other code is a bad request. */
const refusals: { readonly [code: string]: ParserErrorReply } = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, { type: 'body_too_large', message: 'The chunk extensions are too large.' }],
}
const malformedRequest: ParserErrorReply = [400, 'This is not a request that HTTP knows.']

export const answerParserErrors = (server: Server): void => {
  server.on('clientError', (error: NodeJS.ErrnoException, duplex: Duplex) => {
    // Do not write into the middle of another response.
    const { _httpMessage: answering } = duplex as { readonly _httpMessage?: ServerResponse | null }
    if (error.code === 'ECONNRESET' || !duplex.writable || answering?.headersSent) duplex.destroy()
    else duplex.end(messageOf(refusals[error.code ?? ''] ?? malformedRequest), () => duplex.destroy())
  })
  server.on('checkExpectation', (_incoming: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.writeHead(417, { 'content-type': 'application/json', connection: 'close' })
    outgoing.end(jsonText({ error: 'Nothing but 100-continue is to be expected here.' }))
  })
}

export const requestErrorResponse = (error: unknown): Response =>
  toResponse(
    error instanceof RequestError ? badRequest('The URL or the Host header makes no sense.') : faultDenial(error),
  )

const messageOf = ([status, error]: ParserErrorReply): string => {
  const body = jsonText({ error })
  const headers = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}\r\n\r\n${body}`
}
