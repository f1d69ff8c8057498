import { describe, expect, test } from 'vitest'
import { parseDestination } from './destination.ts'
import { describeNetwork, destinationCheck, type NetworkPolicy, parseNetworkPolicy } from './network-policy.ts'

describe('[O17] what an operator may write', () => {
  test.each<[string, unknown, NetworkPolicy]>([
    ['nothing', undefined, 'none'],
    ['null', null, 'none'],
    ['none', 'none', 'none'],
    ['host', 'host', 'host'],
    ['an empty list', { allow: [] }, { allow: [] }],
    [
      'names in any spelling, once each',
      { allow: ['API.GitHub.com', 'api.github.com.'] },
      { allow: ['api.github.com'] },
    ],
    ['wildcards and ports', { allow: ['*.NPMJS.org', 'x.io:8443'] }, { allow: ['*.npmjs.org', 'x.io:8443'] }],
    ['names in other alphabets', { allow: ['bücher.example'] }, { allow: ['xn--bcher-kva.example'] }],
    [
      'public addresses',
      { allow: ['8.8.8.8', '[2606:4700:0:0::1111]:853'] },
      { allow: ['8.8.8.8', '[2606:4700::1111]:853'] },
    ],
  ])('%s', (_name, input, policy) => {
    expect(parseNetworkPolicy(input)).toEqual(policy)
  })

  test.each<[unknown, RegExp]>([
    ['all', /must be 'none', 'host' or/],
    [true, /must be/],
    [['a.example'], /must be/],
    [{ allow: 'a.example' }, /must be/],
    [{ deny: [] }, /must be/],
    [{ allow: [], deny: [] }, /no setting "deny"/],
    [{ allow: [7] }, /network\.allow has 7\. Write a host name/],
    [{ allow: [undefined] }, /Write a host name/],
    [{ allow: [''] }, /has ""/],
    [{ allow: ['*'] }, /Write a host name/],
    [{ allow: ['*.'] }, /Write a host name/],
    [{ allow: ['*.*.x.io'] }, /Write a host name/],
    [{ allow: ['a.*.io'] }, /Write a host name/],
    [{ allow: ['*.com'] }, /A wildcard needs a domain/],
    [{ allow: ['https://a.example'] }, /Write a host name/],
    [{ allow: ['a.example/path'] }, /Write a host name/],
    [{ allow: ['user@a.example'] }, /Write a host name/],
    [{ allow: ['a..example'] }, /Write a host name/],
    [{ allow: ['a.example:0'] }, /Write a host name/],
    [{ allow: ['a.example:65536'] }, /Write a host name/],
    [{ allow: [`${'a'.repeat(64)}.example`] }, /Write a host name/],
    [{ allow: ['a.example\r\nb.example'] }, /Write a host name/],
    [{ allow: ['a\n'] }, /Write a host name/],
    [{ allow: ['localhost'] }, /This machine is never reached/],
    [{ allow: ['127.0.0.1'] }, /private address is never reached/],
    [{ allow: ['169.254.169.254:80'] }, /private address/],
    [{ allow: ['[::1]'] }, /private address/],
    [{ allow: ['[::ffff:8.8.8.8]'] }, /private address/],
    [{ allow: ['１２７.0.0.1'] }, /private address/],
    [{ allow: ['*.8.8.8.8'] }, /no subdomains/],
    [{ allow: ['2130706433'] }, /four decimal numbers/],
    [{ allow: ['0x7f.1'] }, /four decimal numbers/],
    [{ allow: ['0177.0.0.1'] }, /four decimal numbers/],
    [{ allow: Array(1_001).fill('a.example') }, /1000 entries/],
  ])('refuses %j', (input, message) => {
    expect(() => parseNetworkPolicy(input)).toThrow(message)
  })
})

describe('[O17] which destinations a list opens', () => {
  const policy = parseNetworkPolicy({
    allow: ['api.github.com', '*.npmjs.org', 'git.example.com:8443', '8.8.8.8', '[2606:4700::1111]:853'],
  })
  const isOpen = (text: string) => {
    const destination = parseDestination(text, null)
    return destination !== null && destinationCheck(policy)(destination)
  }

  test.each([
    ['a name, in any case', ['api.github.com:443', 'API.github.COM:80', 'api.github.com.:443']],
    ['names below a wildcard', ['registry.npmjs.org:443', 'a.b.npmjs.org:80']],
    ['a port that is listed', ['git.example.com:8443']],
    ['addresses that are listed', ['8.8.8.8:443', '[2606:4700:0:0:0:0:0:1111]:853']],
  ])('open: %s', (_name, texts) => {
    expect(texts.filter((text) => !isOpen(text))).toEqual([])
  })

  test.each([
    ['other names', ['github.com:443', 'x.api.github.com:443', 'evilapi.github.com:443', 'api.github.com.evil.io:443']],
    ['the apex of a wildcard, and names that only end alike', ['npmjs.org:443', 'evilnpmjs.org:443', '.npmjs.org:443']],
    ['other ports', ['api.github.com:22', 'registry.npmjs.org:8080', 'git.example.com:443', '8.8.8.8:53']],
    ['addresses in other spellings', ['134744072:443', '0x8080808:443', '8.8.2056:443', '010.8.8.8:443']],
    ['an address that carries a listed one', ['[::ffff:8.8.8.8]:443', '[64:ff9b::808:808]:443']],
    ['no port', ['api.github.com', 'api.github.com:', 'api.github.com:x', 'api.github.com:0', 'api.github.com:443443']],
    ['userinfo', ['u@api.github.com:443', 'u:p@api.github.com:443', 'api.github.com@evil.io:443']],
    [
      'stray characters',
      ['api.github.com:443 ', 'api.github.com%00:443', 'api.github.com\n:443', 'api.github.com..:443'],
    ],
  ])('closed: %s', (_name, texts) => {
    expect(texts.filter(isOpen)).toEqual([])
  })

  test('none opens nothing, host opens all names', () => {
    const destination = { host: 'api.github.com', port: 22 }
    expect([destinationCheck('none')(destination), destinationCheck('host')(destination)]).toEqual([false, true])
  })
})

test.each<[NetworkPolicy, string]>([
  ['none', 'no network'],
  [{ allow: [] }, 'no network'],
  ['host', "the host's network"],
  [{ allow: ['api.github.com', '*.npmjs.org'] }, 'only api.github.com, *.npmjs.org'],
  [
    { allow: [...'abcdefghij'].map((name) => `${name}.io`) },
    'only a.io, b.io, c.io, d.io, e.io, f.io, g.io, h.io and 2 more',
  ],
])('[O17] %j is told as "%s"', (policy, text) => {
  expect(describeNetwork(policy)).toBe(text)
})
