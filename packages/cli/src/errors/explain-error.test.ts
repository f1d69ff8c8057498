import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import { FabricError } from '@bridle/client/http/error'
import { expect, test } from 'vitest'
import { UnreachableError } from '../config/server-url.ts'
import { errorText, explainError } from './explain-error.ts'

const message = 'There is no agent scriptd; there are scripted, voice.\n  one\n  two'

test('[C22] [C281] an error on a terminal is broken between words, and keeps its lines', () => {
  expect(errorText(message, 40)).toBe('bridle: There is no agent scriptd;\nthere are scripted, voice.\n  one\n  two')
})

test('[C1] a pipe gets the error as it is', () => {
  expect(errorText(message, null)).toBe(`bridle: ${message}`)
})

const unreachable = (code: string, url = 'https://127.0.0.1:5173'): FabricError => {
  const reason = new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code }) })
  const cause = new UnreachableError(url, { cause: reason })
  return new FabricError(0, 'unreachable', `No Bridle answers at ${url}.`, { cause })
}

test.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'])(
  '[C4] a certificate is named as the reason: %s',
  (code) => {
    expect(explainError(unreachable(code))).toEqual({
      code: 1,
      message: `The certificate of the server is not trusted (${code}). NODE_EXTRA_CA_CERTS=FILE trusts the certificate in a file.`,
    })
  },
)

test('[C4] a certificate that has expired is not mended by trust', () => {
  expect(explainError(unreachable('CERT_HAS_EXPIRED')).message).toBe('The certificate of the server has expired.')
})

// The certificate and the error that Node itself makes of it.
test.each([
  [
    '127.0.0.1',
    { subjectaltname: 'DNS:agents.example, IP Address:10.0.0.1' },
    'The certificate of the server is for agents.example, 10.0.0.1, and not for 127.0.0.1. Name the server in --url as its certificate does.',
  ],
  [
    'localhost',
    { subject: { CN: 'agents.example' } },
    'The certificate of the server is for agents.example, and not for localhost. Name the server in --url as its certificate does.',
  ],
  [
    'localhost',
    { subjectaltname: 'DNS:\u001b[2J.example' },
    'The certificate of the server is for ␛[2J.example, and not for localhost. Name the server in --url as its certificate does.',
  ],
])('[C4] a certificate for another name than %s', (host, certificate, message) => {
  const reason = checkServerIdentity(host, certificate as unknown as PeerCertificate)
  const cause = new UnreachableError(`https://${host}:1`, { cause: new TypeError('fetch failed', { cause: reason }) })
  expect(explainError(new FabricError(0, 'unreachable', 'No.', { cause }))).toEqual({ code: 1, message })
})

test('[C4] a refused token is answered with two ways to give one', () => {
  expect(explainError(new FabricError(401, 'unauthorized', 'No.')).message).toMatch(
    /^No\. Set FABRIC_HARNESS_API_TOKEN to the token of the server\. If .*bridle start --token runs at that address on this machine, name its data folder with --data instead\.$/,
  )
})

test.each([
  ['http://127.0.0.1:4317', 'Start one with bridle start, or name the server with --url.'],
  ['http://localhost:4999', 'Start one with bridle start --port 4999, or name the server with --url.'],
  ['http://127.0.0.1', 'Start one with bridle start --port 80, or name the server with --url.'],
  ['http://[::1]:4317', 'Start one with bridle start --host ::1, or name the server with --url.'],
  ['http://127.0.0.2:4999', 'Start one with bridle start --host 127.0.0.2 --port 4999, or name the server with --url.'],
  ['http://agents.example:4317', 'Start one there, or name another server with --url.'],
  ['https://127.0.0.1:4999', 'Start one there, or name another server with --url.'],
])('[C4] where nobody answers at %s: %s', (url, advice) => {
  const { message } = explainError(unreachable('ECONNREFUSED', url))
  expect(message).toBe(`No Bridle answers at ${url}: connection refused. ${advice}`)
})

test.each([
  ['ENOTFOUND', 'unknown host name'],
  ['EAI_AGAIN', 'the host name could not be resolved'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connection timed out'],
  ['ENETUNREACH', 'no route to the host'],
  ['UND_ERR_SOCKET', 'connection closed by the other side'],
  ['EPERM', 'EPERM'],
])('[C4] the reason of %s is: %s', (code, reason) => {
  expect(explainError(unreachable(code, 'http://a.example')).message).toBe(
    `No Bridle answers at http://a.example: ${reason}. Start one there, or name another server with --url.`,
  )
})

test('[C4] a reason without a code is the message of the innermost cause', () => {
  const cause = new UnreachableError('http://a.example:1', {
    cause: new TypeError('fetch failed', { cause: new Error('bad port') }),
  })
  expect(explainError(new FabricError(0, 'unreachable', 'No.', { cause })).message).toMatch(
    /^No Bridle answers at http:\/\/a\.example:1: bad port\. /,
  )
})
