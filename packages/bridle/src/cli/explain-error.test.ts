import { expect, test } from 'vitest'
import { FabricError } from '../client/fabric/error.ts'
import { UnreachableError } from './config/server-url.ts'
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

test.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
  '[C4] a certificate is named as the reason: %s',
  (code) => {
    expect(explainError(unreachable(code))).toEqual({
      code: 1,
      message: `The certificate of the server is not trusted, or not for the name in --url (${code}). NODE_EXTRA_CA_CERTS=FILE trusts the certificate in a file.`,
    })
  },
)

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
  const error = unreachable('ECONNREFUSED', url)
  expect(explainError(error).message).toBe(`${error.message} ${advice}`)
})
