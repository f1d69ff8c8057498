import type { Json } from '@bridle/events/json'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isThorough } from '../../../scripts/variants.ts'
import { scrub, shapes } from './scrubbing.ts'

/** Made of two parts, so that no scanner takes this file for a leak. */
const key = (start: string, rest: string) => `${start}${rest}`
const AWS = key('AKIA', 'IOSFODNN7EXAMPLE')
const GITHUB = key('ghp_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8')
const MODEL = key('sk-', 'ant-api03-AAAAbbbbCCCCddddEEEE-ffff_0000')
const JWT = key('eyJ', 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U')

const WORDS = key('wJalrXUtnFEMI/K7MDENG', '/bPxRfiCYEXAMPLEKEY')
const PASSWORD = key('hunter2', 'hunter2')

/** Texts with a secret, by kind, and the part of each that must go. */
const kinds: readonly (readonly [text: string, secret: string])[] = [
  [`aws_secret_access_key = ${WORDS}`, WORDS],
  [`aws_access_key_id = ${AWS}`, AWS],
  [`AWS_SECRET_ACCESS_KEY=${WORDS}`, WORDS],
  [`DB_PASS=${PASSWORD}`, PASSWORD],
  [`db_pass: ${PASSWORD}`, PASSWORD],
  [`db_pass=${PASSWORD}`, PASSWORD],
  [`MYSQL_PWD=${PASSWORD}`, PASSWORD],
  [`smtp_pwd = ${PASSWORD}`, PASSWORD],
  [`ENCRYPTION_KEY=${PASSWORD}`, PASSWORD],
  [`encryption_key: ${PASSWORD}`, PASSWORD],
  [`signingKey: ${PASSWORD}`, PASSWORD],
  [`PGPASSWORD=${PASSWORD}`, PASSWORD],
  [`DATABASE_PASSWORD=${PASSWORD}`, PASSWORD],
  [`SECRET_KEY_BASE=${PASSWORD}`, PASSWORD],
  [`spring.datasource.password=${PASSWORD}`, PASSWORD],
  [`AccountKey=${WORDS}`, WORDS],
  [`mysql --password ${PASSWORD}`, PASSWORD],
  [GITHUB, GITHUB],
  [MODEL, MODEL],
  ...[
    key('sk-', 'proj-Ab12Cd34Ef56Gh78Ij90'),
    key('xoxb-', '123456789012-abcdefABCDEF'),
    key('npm_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'),
    key('sk_live_', 'a1B2c3D4e5F6g7H8i9J0'),
    key('AIza', 'SyA1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q'),
    key('whsec_', 'a1B2c3D4e5F6g7H8i9J0k1'),
    key('SG.', 'a1B2c3D4e5F6g7H8i9J0k1.a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8a1B2c3'),
    AWS,
    JWT,
  ].map((secret) => [secret, secret] as const),
]

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

/** A text as a string within JSON text, once for each level. */
const escaped = (text: string, levels: number): string =>
  levels === 0 ? text : escaped(JSON.stringify({ said: text, n: levels }), levels - 1)

describe('[X4] secrets are removed', () => {
  test.each(kinds)('%s, plain, behind escapes, colours and in JSON of some levels', (text, secret) => {
    const inner = [text, `a\n${text}\nb`, `a\t${text}\r\nb`, `\u001b[32m${text}\u001b[0m`, `"${text}"`, `a ${text} b`]
    for (const each of inner) {
      for (const levels of [0, 1, 2, 3, 4]) {
        const scrubbed = scrub(escaped(each, levels)) as string
        expect(scrubbed).toContain('[removed]')
        expect(scrubbed).not.toContain(secret)
        expect(scrub(scrubbed)).toBe(scrubbed)
        expect(scrubbed.endsWith(levels > 0 ? `"n":1}` : '')).toBe(true)
      }
    }
    expect(scrub(encodeURIComponent(`a\n${GITHUB}`))).toBe('a%0A[removed]')
  })

  test('every kind, at any place of JSON text in JSON text', () => {
    const place = fc.record({
      kind: fc.constantFrom(...kinds),
      before: fc.string({ unit: 'grapheme', maxLength: 20 }),
      after: fc.string({ unit: 'grapheme', maxLength: 20 }),
      parting: fc.constantFrom('\n', '\t', '\r\n', ' ', '\n\n  ', '"', "'"),
      path: fc.array(fc.oneof(fc.constantFrom('text', 'lines', 'env'), fc.integer({ min: 0, max: 2 })), {
        maxLength: 4,
      }),
      levels: fc.array(fc.boolean(), { maxLength: 4 }),
    })
    fc.assert(
      fc.property(place, ({ kind: [text, secret], before, after, parting, path, levels }) => {
        let value: Json = `${before}${parting}${text}${parting}${after}`
        for (const step of path)
          value = typeof step === 'string' ? { [step]: value, ok: true } : [...Array(step).fill('x'), value]
        for (const isText of levels) value = isText ? JSON.stringify(value) : { content: [value] }
        const scrubbed = scrub(value)
        expect(JSON.stringify(scrubbed)).not.toContain(secret)
        expect(scrub(scrubbed)).toBe(scrubbed)
      }),
      { numRuns: 300 },
    )
  })

  test('what any text becomes is not scrubbed further', () => {
    const word = fc.constantFrom(
      'token',
      'DB_PASS',
      'key',
      '=',
      ': ',
      '"',
      '\\"',
      '\\n',
      ' ',
      '\n',
      'a1',
      '[removed]',
      'sk-',
      MODEL,
      JWT,
      AWS,
      '@',
      '://',
      '?',
      '--password ',
      'Bearer ',
      '-----BEGIN PRIVATE KEY-----',
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (words) => {
        const once = scrub(words.join(''))
        expect(scrub(once)).toBe(once)
      }),
      { numRuns: 500 },
    )
  })

  test.each(cases)('%s', (_, before, after) => {
    expect(scrub(before)).toEqual(after)
    expect(scrub(scrub(before))).toEqual(after)
  })
})

test.each<[string, Json]>([
  [
    'names that only sound so',
    'keyboard=qwerty1 monkey: banana1 tokens_saved=1234567 turkey: 12 bypass: a1b2c3 compass=north1',
  ],
  [
    'keys of tables',
    'primary_key: id, foreign_key=user_id, PRIMARY_KEY=user_id, sort_key: created_at, "cache_key": "user-12"',
  ],
  ['keys of a map', '{ key: "ArrowUp", "key": "id-123456", key: value1 }\nfor (const [key, value] of x) key=value'],
  ['counts of tokens', 'MAX_TOKENS=100000 TOKEN_COUNT=1234567 token: 1523 total_tokens=12345678 token_limit: 200000'],
  ['results of tests', 'PASS src/a.test.ts\n# pass 12\npass: 1234 fail: 0\nPASS: 17 of 17'],
  ['folders', 'PWD=/home/ada/project OLDPWD=/home/ada token: /run/secrets/token1 TOKEN_FILE=/run/secrets/db1'],
  ['references', `API_KEY=\${API_KEY} TOKEN=$GITHUB_TOKEN`],
  ['declarations', 'const key = value\ntype A = { password: string; token?: string, secret: Uint8Array }'],
  ['calls', 'const token = parseToken2(x)\nconnect(user=user, password=password)\napi_key=settings.api_key'],
  ['calls with options', "fetch(url, { credentials: 'same-origin' })\nlabel({ password: 'Password', token: 'Token' })"],
  ['comparisons', 'if (token === "abc1234" || secret != other1) token => token.id2'],
  ['addresses of tokens', 'token: https://auth.example.com/oauth2/token'],
  ['other parameters of an address', 'http://a/b?token=ann&user=bob12'],
  ['style sheets', '.sk-fading-circle-delay { color: red } .task-list-item-checkbox {}'],
  ['folders of Windows', 'C:\\new\\tasks\\risk-assessment-2024'],
  ['diffs', '-  const key = "a"\n+  const key = "b"\n@@ -1,2 +1,2 @@ token'],
  ['hashes', 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 commit 3460923d144f6d8f'],
  ['prose', 'The bearer of this token is a secret agent: password not required. Basic understanding.'],
  ['counts', { total_tokens: 5, tokens_saved: 7, max_total_tokens: 9, token_count: '12' }],
  ['code', 'const token = await getToken(); if (password === secret) return'],
  ['addresses', ['https://example.com/a:b@c', 'mailto:ada@example.com', 'http://localhost:8080/x?y=1']],
  ['ids', { message_id: 'm-12', tool_call_id: 'r-2.1.1', resume_cursor: 'branch:s1:41' }],
])('[X4] %s stay, and nothing is copied', (_, value) => {
  expect(scrub(value)).toBe(value)
})

test('[X4] folders of the server are removed, and names of folders in an agent’s text stay', () => {
  const settings = { workspace_source: '/home/ada/shop', workspace_path: 'C:\\work\\ws-1', workspace_kind: 'copy' }
  expect(scrub({ settings, workspace_source: '/home/ada' })).toEqual({
    settings: { workspace_source: '[folder]', workspace_path: '[folder]', workspace_kind: 'copy' },
    workspace_source: '[folder]',
  })
  const file = JSON.stringify({
    workspace_id: 'ws-1',
    kind: 'copy',
    path: '/data/a "b"',
    source: '/home/ada',
    commit: 'a1',
  })
  const plain = JSON.stringify({
    workspace_id: 'ws-1',
    kind: 'copy',
    path: '[folder]',
    source: '[folder]',
    commit: 'a1',
  })
  expect(scrub({ text: file })).toEqual({ text: plain })
  expect(scrub({ text: plain })).toEqual({ text: plain })
  const others = { workspace_source: 'https://example.com/a.git', workspace_path: null, text: '{"path":"/etc/hosts"}' }
  expect(scrub(others)).toBe(others)
})

test('[X4] a name that means something else to JavaScript is a name', () => {
  const hostile = JSON.parse(`{"__proto__":{"token":"x"},"constructor":"${AWS}"}`)
  const scrubbed = scrub(hostile)
  expect(JSON.stringify(scrubbed)).toBe('{"__proto__":{"token":"[removed]"},"constructor":"[removed]"}')
  expect(({} as { token?: string }).token).toBeUndefined()
})

const LENGTH = isThorough ? 1_000_000 : 250_000
const long = (piece: string): string => piece.repeat(Math.ceil(LENGTH / piece.length))

// A pattern or scanner that is quadratic would take hours for one of them.
test.each([
  ...[
    'eyJ-',
    'eyJ.',
    'eyJaaaaaaaa.',
    'TOKEN',
    'a.',
    'a',
    'a-',
    '-',
    'sk-',
    'sk-a',
    '"',
    '\\',
    '\\n',
    '%20',
    '[1m',
    ' ',
  ],
  ...[
    '"password',
    '"password":"x',
    'token="',
    "key='",
    'token="\\',
    'key=',
    'key:',
    'key=a ',
    'token: ',
    'DB_PASS=',
    '--password ',
  ],
  ...[
    '?token',
    '?token=',
    'Bearer ',
    'x-api-key:',
    'Authorization: Basic ',
    'a://',
    'a://b:',
    '-----BEGIN PRIVATE KEY-----',
  ],
])('[X4] a long text that is made to be slow is not: %s', (piece) => {
  const behind = isThorough ? ['"password":"', 'TOKEN=', 'key '] : []
  for (const text of [long(piece), ...behind.map((start) => start + long(piece))])
    expect(typeof scrub(text)).toBe('string')
})

// The one pattern without a bound, that of private keys, reaches its own end or that of the text.
test('[X4] a pattern repeats nothing without a bound, except at its end', () => {
  for (const [{ source }] of shapes.slice(1)) {
    const bare = source.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x')
    for (const branch of bare.split('|')) {
      const [repeated = ''] = /(?:[*+]|\{\d+,\}).*/.exec(branch) ?? []
      expect({ source, repeated }).toEqual({
        source,
        repeated: expect.stringMatching(/^(?:\{\d+,\}(?:=\{0,2\})?\)?)?$/),
      })
    }
  }
})
