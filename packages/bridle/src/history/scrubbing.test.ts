import { describe, expect, test } from 'vitest'
import type { Json } from '../kernel/json.ts'
import { scrub } from './scrubbing.ts'

/** Made of two parts, so that no scanner takes this file for a leak. */
const key = (start: string, rest: string) => `${start}${rest}`
const AWS = key('AKIA', 'IOSFODNN7EXAMPLE')
const GITHUB = key('ghp_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8')
const MODEL = key('sk-', 'ant-api03-AAAAbbbbCCCCddddEEEE-ffff_0000')
const JWT = key('eyJ', 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U')

const cases: readonly [string, Json, Json][] = [
  ['a key in a sentence', `Use ${MODEL}, please.`, 'Use [removed], please.'],
  ['two keys', `${AWS} ${GITHUB}`, '[removed] [removed]'],
  ['a web token', { text: JWT }, { text: '[removed]' }],
  ['a header', 'Authorization: Bearer abc123def456ghi789', 'Authorization: Bearer [removed]'],
  ['a basic header', 'authorization: Basic dXNlcjpwYXNz', 'authorization: Basic [removed]'],
  [
    'a private key',
    'a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nxyz\n-----END RSA PRIVATE KEY-----\nb',
    'a\n[removed]\nb',
  ],
  ['a private key that is cut off', 'a -----BEGIN PRIVATE KEY-----\nMIIE', 'a [removed]'],
  ['a password in an address', 'postgres://ada:s3cret@db:5432/x', 'postgres://ada:[removed]@db:5432/x'],
  ['an environment', 'A=1\nDB_PASSWORD=hunter2hunter2\nB=2', 'A=1\nDB_PASSWORD=[removed]\nB=2'],
  ['JSON in a text', '{"user":"ada","api_key":"abc","n":1}', '{"user":"ada","api_key":"[removed]","n":1}'],
  ['JSON with blanks', '{"passphrase": "correct horse battery", "n": 1}', '{"passphrase": "[removed]", "n": 1}'],
  ['JSON in JSON', '{\\"password\\":\\"abc\\"}', '{\\"password\\":\\"[removed]\\"}'],
  ['a passphrase in a text', '{"password": "it\'s a b","n":1}', '{"password": "[removed]","n":1}'],
  ['a passphrase in JSON', '{\\"secret\\": \\"a b c\\", \\"n\\":1}', '{\\"secret\\": \\"[removed]\\", \\"n\\":1}'],
  ['a header in a text', `{"authorization":"Bearer abc123def456ghi789"}`, '{"authorization":"[removed]"}'],
  ['a key in a header', 'curl -H "x-api-key: abcdef123456" http://a', 'curl -H "x-api-key: [removed]" http://a'],
  ['a query', 'http://a/b?access_token=abcdef&n=1#token=x', 'http://a/b?access_token=[removed]&n=1#token=x'],
  [
    'values under telling names',
    { password: 'a', githubToken: 'b', 'x-api-key': 'c', Authorization: 'd', secret: { deep: ['e', 1, null] } },
    {
      ...{ password: '[removed]', githubToken: '[removed]', 'x-api-key': '[removed]', Authorization: '[removed]' },
      secret: { deep: ['[removed]', 1, null] },
    },
  ],
]

describe('[X4] secrets are removed', () => {
  test.each(cases)('%s', (_, before, after) => {
    expect(scrub(before)).toEqual(after)
    expect(scrub(scrub(before))).toEqual(after)
  })
})

test.each<[string, Json]>([
  ['prose', 'The bearer of this token is a secret agent: password not required. Basic understanding.'],
  ['counts', { total_tokens: 5, tokens_saved: 7, max_total_tokens: 9, token_count: '12' }],
  ['code', 'const token = await getToken(); if (password === secret) return'],
  ['addresses', ['https://example.com/a:b@c', 'mailto:ada@example.com', 'http://localhost:8080/x?y=1']],
  ['ids', { message_id: 'm-12', tool_call_id: 'r-2.1.1', resume_cursor: 'branch:s1:41' }],
])('[X4] %s stay, and nothing is copied', (_, value) => {
  expect(scrub(value)).toBe(value)
})

test('[X4] a name that means something else to JavaScript is a name', () => {
  const hostile = JSON.parse(`{"__proto__":{"token":"x"},"constructor":"${AWS}"}`)
  const scrubbed = scrub(hostile)
  expect(JSON.stringify(scrubbed)).toBe('{"__proto__":{"token":"[removed]"},"constructor":"[removed]"}')
  expect(({} as { token?: string }).token).toBeUndefined()
})

test.each([
  'eyJ-'.repeat(50_000),
  'TOKEN'.repeat(50_000),
  'a.'.repeat(100_000),
  '"password'.repeat(30_000),
  `"password":"${'\\\\'.repeat(100_000)}`,
  '"password":"x'.repeat(20_000),
  '?token'.repeat(40_000),
  'Bearer '.repeat(40_000),
  '-----BEGIN PRIVATE KEY-----'.repeat(10_000),
])('[X4] a text that is made to be slow is not: %#', (text) => {
  expect(typeof scrub(text)).toBe('string')
})
