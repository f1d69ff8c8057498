import { createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import {
  endAll,
  get,
  listening,
  openTunnel,
  PUBLIC,
  proxyUnderTest,
  rawHost,
  send,
  statusOf,
} from './egress-proxy.suite.ts'
import { createEgressProxy } from './egress-proxy.ts'

afterEach(endAll)

const policy = { allow: ['a.example', '*.b.example'] }
const connectTo = (target: string) => `CONNECT ${target} HTTP/1.1\r\nHost: a.example:443\r\n\r\n`

describe('[O17] private addresses', () => {
  test('a resolver that flips after its first answer: the name is resolved once, and that address is connected to', async () => {
    const port = await rawHost((socket) => socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\n\r\n')))
    let asked = 0
    const lookup = async () => [asked++ === 0 ? PUBLIC : '127.0.0.1']
    const { proxyPort, dialled, entries } = await proxyUnderTest(port, { policy, lookup })
    expect(statusOf(await send(proxyPort, get('http://a.example/')))).toBe('204')
    expect([asked, dialled]).toEqual([1, [`${PUBLIC} 80`]])
    expect(await send(proxyPort, get('http://a.example/'))).toMatch(
      /^HTTP\/1.1 403 [\s\S]*a\.example has a private address/,
    )
    expect([asked, dialled.length, entries.at(-1)?.outcome]).toEqual([2, 1, 'private_address'])
  })

  test.each([
    [[PUBLIC, '10.0.0.7']],
    [['169.254.169.254', PUBLIC]],
    [[PUBLIC, '::1']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::7f00:1']],
    [['127.0.0.1']],
    [[PUBLIC, 'not an address']],
    [[PUBLIC, 'localhost']],
  ])('a name with the addresses %j is refused', async (addresses) => {
    const { proxyPort, dialled } = await proxyUnderTest(1, { policy, lookup: async () => addresses })
    const answers = [
      await send(proxyPort, connectTo('a.example:443')),
      await send(proxyPort, get('http://x.b.example/')),
    ]
    expect([answers.map(statusOf), dialled]).toEqual([['403', '403'], []])
    // An answer would tell the sandbox how the private network is laid out.
    expect(answers.join()).not.toMatch(/10\.0|169\.254|127\.0/)
  })

  test('addresses are refused in every spelling, whatever the list says', async () => {
    const hosts = [
      '169.254.169.254',
      '2130706433',
      '0x7f.1',
      '0x7f000001',
      '0177.0.0.1',
      '127.1',
      '127.0.0.1',
      '0',
      '0.0.0.0',
    ]
    hosts.push('[::ffff:127.0.0.1]', '[::1]', '[::]', '[fe80::1]', '[64:ff9b::169.254.169.254]', 'localhost', PUBLIC)
    for (const each of [policy, 'none' as const, { allow: [] }]) {
      const { proxyPort, dialled, entries } = await proxyUnderTest(1, { policy: each })
      for (const host of hosts) {
        expect([host, statusOf(await send(proxyPort, connectTo(`${host}:443`)))]).toEqual([host, '403'])
        expect([host, statusOf(await send(proxyPort, get(`http://${host}/latest`, host)))]).toEqual([host, '403'])
      }
      expect([dialled, new Set(entries.map(({ outcome }) => outcome))]).toEqual([[], new Set(['not_allowed'])])
    }
  })

  test('an address that is listed needs no resolver, and is checked all the same', async () => {
    const port = await rawHost((socket) => socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\n\r\n')))
    const lookup = () => Promise.reject(new Error('must not be asked'))
    const { proxyPort, dialled } = await proxyUnderTest(port, { policy: { allow: [PUBLIC, '[2606:4700::1]'] }, lookup })
    expect(statusOf(await send(proxyPort, get(`http://${PUBLIC}/`)))).toBe('204')
    expect(statusOf(await send(proxyPort, get('http://[2606:4700:0::1]/')))).toBe('204')
    expect(dialled).toEqual([`${PUBLIC} 80`, '2606:4700::1 80'])
    await expect(proxyUnderTest(port, { policy: { allow: ['127.0.0.1'] } })).rejects.toThrow('private address')
  })

  test('all names are open with the host policy, and private addresses are not', async () => {
    const { proxyPort } = await proxyUnderTest(1, { policy: 'host', lookup: async () => ['192.168.1.1'] })
    expect(await send(proxyPort, get('http://router.lan/'))).toContain('private address')
    expect(statusOf(await send(proxyPort, get('http://192.168.1.1/')))).toBe('403')
  })

  test('without a check of our own, a server on loopback is out of reach', async () => {
    const port = await rawHost((socket) => socket.end('reached'))
    const proxy = createEgressProxy({
      policy: { allow: [`a.example:${port}`] },
      lookup: async () => ['127.0.0.1'],
    })
    const listener = createServer()
    const proxyPort = await listening(listener)
    proxy.serve(listener)
    const answer = await send(proxyPort, connectTo(`a.example:${port}`))
    await proxy.close()
    expect(answer).toMatch(/^HTTP\/1.1 403 /)
  })
})

describe('[O17] what is refused', () => {
  test('a refusal names the host, the port and the setting in one line', async () => {
    const { proxyPort } = await proxyUnderTest(1, { policy })
    const [head, body] = (await send(proxyPort, connectTo('evil.example:8443'))).split('\r\n\r\n')
    expect(head?.toLowerCase()).toMatch(/^http\/1.1 403 forbidden\r\n.*text\/plain/s)
    expect(body).toBe(
      "This sandbox may not reach evil.example:8443. An operator opens it with network: { allow: ['evil.example:8443'] }.\n",
    )
  })

  test('a refusal names no setting that would be refused itself', async () => {
    const { proxyPort } = await proxyUnderTest(1, { policy })
    for (const host of ['169.254.169.254', '2130706433', '[::1]', 'localhost']) {
      const body = (await send(proxyPort, connectTo(`${host}:80`))).split('\r\n\r\n')[1]
      expect(body).toBe(`This sandbox may not reach ${host}:80; network: { allow: [...] } opens public hosts only.\n`)
    }
  })

  test.each([
    ['another name', 'evil.example:443', '403'],
    ['the apex of a wildcard', 'b.example:443', '403'],
    ['a port that is not open', 'a.example:22', '403'],
    ['no port', 'a.example', '400'],
    ['an empty port', 'a.example:', '400'],
    ['port 0', 'a.example:0', '400'],
    ['a port beyond the last', 'a.example:65979', '400'],
    ['userinfo', 'user@a.example:443', '400'],
    ['userinfo with a password', 'a.example:443@evil.example:443', '400'],
    ['two ports', 'a.example:443:443', '400'],
    ['a path', 'a.example:443/x', '400'],
    ['a URL', 'http://a.example:443', '400'],
    ['an origin path', '/x', '400'],
    ['an encoded line break', 'a.example%0d%0aX:443', '400'],
    ['a zero byte', 'a.example\0.evil.example:443', '400'],
    ['a zone', '[fe80::1%25eth0]:443', '400'],
    ['an empty host', ':443', '400'],
    ['an asterisk', '*', '400'],
  ])('CONNECT with %s', async (_name, target, status) => {
    const { proxyPort, dialled } = await proxyUnderTest(1, { policy })
    const answer = await send(proxyPort, connectTo(target))
    expect([statusOf(answer), dialled]).toEqual([status, []])
    expect(answer).not.toMatch(/\n {4}at |node:/)
  })

  const request = (line: string, headers: string, body = '') => `${line} HTTP/1.1\r\n${headers}\r\n\r\n${body}`
  test.each([
    ['a path alone', request('GET /x', 'Host: a.example')],
    ['an asterisk', request('OPTIONS *', 'Host: a.example')],
    ['https', request('GET https://a.example/', 'Host: a.example')],
    ['another scheme', request('GET ftp://a.example/', 'Host: a.example')],
    ['userinfo', request('GET http://u:p@a.example/', 'Host: a.example')],
    ['an empty host', request('GET http:///x', 'Host: a.example')],
    ['a fragment', request('GET http://a.example/#x', 'Host: a.example')],
    ['a backslash', request('GET http://a.example\\@evil.example/', 'Host: a.example')],
    ['another Host', request('GET http://a.example/', 'Host: x.b.example')],
    ['another port in Host', request('GET http://a.example/', 'Host: a.example:81')],
    ['no Host', request('GET http://a.example/', 'X: y')],
    ['two Hosts', request('GET http://a.example/', 'Host: a.example\r\nHost: a.example')],
    ['an encoded line break in the host', request('GET http://a.example%0d%0aX:/', 'Host: a.example')],
    ['a line break in the host', request('GET http://a.example\r\nX: /', 'Host: a.example')],
    [
      'two lengths',
      request('POST http://a.example/', 'Host: a.example\r\nContent-Length: 1\r\nContent-Length: 1', 'x'),
    ],
    [
      'a length and chunks',
      request(
        'POST http://a.example/',
        'Host: a.example\r\nContent-Length: 4\r\nTransfer-Encoding: chunked',
        '0\r\n\r\n',
      ),
    ],
    [
      'chunks and a length',
      request(
        'POST http://a.example/',
        'Host: a.example\r\nTransfer-Encoding: chunked\r\nContent-Length: 4',
        '0\r\n\r\n',
      ),
    ],
    [
      'another coding',
      request('POST http://a.example/', 'Host: a.example\r\nTransfer-Encoding: gzip, chunked', '0\r\n\r\n'),
    ],
    [
      'a disguised coding',
      request('POST http://a.example/', 'Host: a.example\r\nTransfer-Encoding: xchunked', '0\r\n\r\n'),
    ],
    ['a space before the colon', request('GET http://a.example/', 'Host : a.example')],
    ['a folded header', request('GET http://a.example/', 'Host: a.example\r\nX: y\r\n z')],
    ['headers that are too long', request('GET http://a.example/', `Host: a.example\r\nX: ${'x'.repeat(20_000)}`)],
    ['a URL that is too long', request(`GET http://a.example/${'x'.repeat(20_000)}`, 'Host: a.example')],
    ['no HTTP', 'SSH-2.0-OpenSSH_9\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', Buffer.from('16030100c8010000c40303', 'hex')],
  ])('a request with %s is a bad one', async (_name, text) => {
    const { proxyPort, dialled, entries } = await proxyUnderTest(1, { policy })
    const answer = await send(proxyPort, text)
    expect([statusOf(answer), dialled, entries.filter(({ outcome }) => outcome !== 'bad_request')]).toEqual([
      '400',
      [],
      [],
    ])
    expect(answer).not.toMatch(/\n {4}at |node:/)
  })

  test('a connection carries one request: a second one is not served', async () => {
    const seen: string[] = []
    const port = await rawHost((socket) =>
      socket.once('data', (bytes) => {
        seen.push(bytes.toString('latin1').split(' ')[1] ?? '')
        socket.end('HTTP/1.1 204 No Content\r\n\r\n')
      }),
    )
    const { proxyPort, dialled } = await proxyUnderTest(port, { policy })
    await send(proxyPort, get('http://a.example/1') + get('http://a.example/2') + get('http://a.example/3'))
    await send(proxyPort, get('http://a.example/4') + connectTo('a.example:443'))
    expect([dialled.length <= 2, seen.filter((url) => !['/1', '/4'].includes(url))]).toEqual([true, []])
    expect(statusOf(await send(proxyPort, get('http://a.example/5')))).toBe('204')
  })

  test('more connections than allowed are turned away, and there is room again when one ends', async () => {
    const port = await rawHost((socket) => socket.resume().once('end', () => socket.end()))
    const { proxyPort, entries } = await proxyUnderTest(port, { policy, limits: { connectionsMax: 3 } })
    const tunnels: Socket[] = []
    for (let n = 0; n < 3; n++) tunnels.push(await openTunnel(proxyPort, 'a.example:443'))
    expect(await send(proxyPort, connectTo('a.example:443'))).toMatch(/^HTTP\/1.1 503 [\s\S]*3 connections at once/)
    expect(entries.at(-1)).toEqual({ host: null, port: null, outcome: 'too_many_connections' })
    tunnels.pop()?.destroy()
    await expect
      .poll(
        async () =>
          openTunnel(proxyPort, 'a.example:443').then(
            (socket) => socket.remoteFamily !== null,
            () => false,
          ),
        { timeout: 30_000 },
      )
      .toBe(true)
  })

  test('headers that never end are given up', async () => {
    const { proxyPort } = await proxyUnderTest(1, { policy, limits: { headersMs: 50 } })
    expect(await send(proxyPort, 'GET http://a.example/ HTTP/1.1\r\nHost: a.ex')).toMatch(/^(HTTP\/1.1 400 |$)/)
    expect(await send(proxyPort, '')).toMatch(/^(HTTP\/1.1 400 |$)/)
  })

  test('a report that throws changes nothing', async () => {
    const report = () => {
      throw new Error('the log is full')
    }
    const { proxyPort } = await proxyUnderTest(1, { policy, report })
    expect(statusOf(await send(proxyPort, connectTo('evil.example:443')))).toBe('403')
  })
})
describe('[O17] random requests', () => {
  test('are answered with 400 or 403, never with a connection, and the proxy goes on', async () => {
    const seed = Number(process.env.BRIDLE_SEED ?? 20_260_101)
    const next = random(seed)
    const { proxyPort, dialled } = await proxyUnderTest(1, { policy: { allow: ['open.example'] } })
    for (let round = 0; round < 400; round += 20) {
      const texts = Array.from({ length: 20 }, () => randomRequest(next))
      const answers = await Promise.all(texts.map((text) => send(proxyPort, Buffer.from(text, 'latin1'))))
      for (const [at, answer] of answers.entries()) {
        const allowed = /^HTTP\/1\.1 (400|403) |^$/.test(answer) && !/\n {4}at |node:/.test(answer)
        expect([seed, texts[at], allowed ? '' : answer]).toEqual([seed, texts[at], ''])
      }
    }
    expect(dialled).toEqual([])
    expect(statusOf(await send(proxyPort, connectTo('evil.example:443')))).toBe('403')
  }, 30_000)
})

/** mulberry32 */
const random = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** Other spellings of the open host: each that gets through would be a hole. */
const randomRequest = (next: (below: number) => number): string => {
  const pick = (from: readonly string[]) => from[next(from.length)] as string
  const pieces = [
    'a',
    'open.example',
    '.',
    '..',
    ':',
    ':443',
    ':80',
    '@',
    '[',
    ']',
    '%00',
    '%2e',
    '\\',
    '/',
    '?',
    '#',
    '\t',
    '\0',
    '\xff',
    '127.0.0.1',
    '[::1]',
    '0x7f.1',
    'xn--',
    '*',
    'evil.example',
    ' ',
    '\r',
    '\n',
  ]
  const host = Array.from({ length: 1 + next(5) }, () => pick(pieces)).join('')
  const other = /^open\.example\.?(:0*(443|80))?(\/.*)?$/i.test(host) || host === '' ? 'evil.example:443' : host
  const method = pick(['CONNECT', 'GET', 'POST', 'OPTIONS', 'connect', 'BREW', ''])
  const target = pick([other, other, `http://${other}/`, `http://evil${other}`, `//${other}`, ''])
  const version = pick(['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'http/1.1', ''])
  const headers = pick([
    'Host: evil.example\r\n',
    'Host: evil.example\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n',
    'Host: evil.example\r\nTransfer-Encoding: chunked, identity\r\n',
    'Host:\r\n',
    ': x\r\n',
    'Host: evil.example\nX: y\r\n',
    '',
  ])
  return `${method} ${target} ${version}\r\n${headers}\r\n${pick(['', 'body', '0\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n'])}`
}
