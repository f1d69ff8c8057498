import { expect, test } from 'vitest'
import { checkOptions } from './options.ts'

test.each<[options: object, message: string]>([
  [{ autenticate: () => null }, 'harness: there is no "autenticate". Did you mean "authenticate"?'],
  [
    { tokens: [{ token: 't', tenant: ['acme'] }] },
    'harness: there is no "tokens[0].tenant". Did you mean "tokens[0].tenants"?',
  ],
  [{ basePath: '/bridle' }, 'harness: there is no "basePath".'],
  [{ allowedOrigins: 'https://app.example' }, 'harness: "allowedOrigins" must be a list.'],
  [
    { rateLimit: { windowMs: 60_000 } },
    'harness: "rateLimit.maxRequests" is missing: it must be a finite number above 0.',
  ],
  [
    { engines: { codex: { mcp: { docs: {} } } } },
    'harness: engines.codex: the MCP server "docs": "docs" needs either a command or a url.',
  ],
])('[CF29] a misspelt option, or one of a wrong kind, is refused: %j', (options, message) => {
  expect(() => checkOptions(options)).toThrow(expect.objectContaining({ code: 'option_invalid', message }))
})
