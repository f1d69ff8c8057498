import { once } from 'node:events'
import { createServer } from 'node:http'
import { createConnection, Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import {
  endAll,
  get,
  openTunnel,
  PUBLIC,
  proxyUnderTest,
  rawHost,
  readAll,
  send,
  statusOf,
} from './egress-proxy.suite.ts'

afterEach(endAll)

/** Answers with its own name and what it was asked. */
const echoHost = async (name: string): Promise<number> => {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    response.setHeader('x-host', name)
    response.end(JSON.stringify({ name, method: request.method, url: request.url, headers: request.rawHeaders, body }))
  })
  return rawHost((socket) => server.emit('connection', socket))
}
const bodyOf = (answer: string) => {
  const text = answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)
  return JSON.parse(text) as { name: string; method: string; url: string; headers: string[]; body: string }
}

describe('[O17] a host that the list opens', () => {
  test('three sandboxes with three lists, interleaved: each reaches its own host and no other', async () => {
    const names = ['ada', 'bob', 'cleo'] as const
    const boxes = await Promise.all(
      names.map(async (name) =>
        proxyUnderTest(await echoHost(name), { policy: { allow: [`api.${name}.example`, `*.cdn.${name}.example`] } }),
      ),
    )
    const requests = boxes.flatMap(({ proxyPort }, box) =>
      names.flatMap((name, owner) =>
        [0, 1, 2].map(async (round) => {
          const host = round === 2 ? `x.cdn.${name}.example` : `api.${name}.example`
          const target = round === 1 ? await openTunnel(proxyPort, `${host}:443`).catch((error) => error.message) : null
          if (round !== 1) return { box, owner, answer: await send(proxyPort, get(`http://${host}/${round}`)) }
          if (typeof target === 'string') return { box, owner, answer: target }
          target.write(`GET /tunnel HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
          return { box, owner, answer: await readAll(target) }
        }),
      ),
    )
    for (const { box, owner, answer } of await Promise.all(requests)) {
      expect([box, owner, statusOf(answer)]).toEqual([box, owner, box === owner ? '200' : '403'])
      if (box === owner) expect(bodyOf(answer).name).toBe(names[owner])
      else expect(answer).toContain(`network: { allow: ['`)
    }
    for (const { entries, dialled } of boxes) {
      const outcomes = entries.map(({ outcome }) => outcome).sort()
      expect([outcomes, dialled.length]).toEqual([[...Array(3).fill('connected'), ...Array(6).fill('not_allowed')], 3])
    }
  })

  test('the request is passed on without what concerns the proxy, and so is the answer', async () => {
    const port = await rawHost((socket) =>
      socket.once('data', (bytes) =>
        socket.end(
          `HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nKeep-Alive: x\r\nProxy-Authenticate: Basic\r\nConnection: X-Secret\r\nX-Secret: s\r\nX-Seen: ${bytes.toString('base64')}\r\nContent-Length: 2\r\n\r\nhi`,
        ),
      ),
    )
    const { proxyPort, dialled, entries } = await proxyUnderTest(port, { policy: { allow: ['a.example'] } })
    const headers =
      'Proxy-Authorization: Basic eDp5\r\nProxy-Connection: keep-alive\r\nConnection: X-Drop, close, Host\r\nX-Drop: 1\r\nTE: trailers\r\nUpgrade: h2c\r\nX-Keep: 1\r\nX-Keep: 2\r\nAuthorization: Bearer mine\r\n'
    const answer = await send(proxyPort, get('http://A.example:80/p?q=1', 'a.example', headers))
    // The client sees the redirect; the proxy does not follow it.
    expect([dialled, entries]).toEqual([[`${PUBLIC} 80`], [{ host: 'a.example', port: 80, outcome: 'connected' }]])
    const seen = Buffer.from(/X-Seen: (\S+)/i.exec(answer)?.[1] ?? '', 'base64').toString()
    const lines = seen
      .trimEnd()
      .split('\r\n')
      .map((line, at) => (at === 0 ? line : line.toLowerCase()))
    expect(lines.sort()).toEqual(
      [
        'GET /p?q=1 HTTP/1.1',
        'authorization: bearer mine',
        'connection: close',
        'host: a.example',
        'x-keep: 1',
        'x-keep: 2',
      ].sort(),
    )
    const [head = '', body] = answer.split('\r\n\r\n')
    const got = head.split('\r\n').filter((line) => !/^(date|x-seen):/i.test(line))
    expect([got.map((line) => line.toLowerCase()).sort(), body]).toEqual([
      [
        'connection: close',
        'content-length: 2',
        'http/1.1 302 found',
        'location: http://169.254.169.254/',
        'set-cookie: a=1',
        'set-cookie: b=2',
      ],
      'hi',
    ])
  })

  test('a path that is missing, a query alone, a port in the name', async () => {
    const { proxyPort } = await proxyUnderTest(await echoHost('h'), {
      policy: { allow: ['a.example', 'a.example:8080'] },
    })
    const urls = ['http://a.example', 'http://a.example?x', 'http://a.example:8080/y']
    const answers = await Promise.all(
      urls.map((url) => send(proxyPort, get(url, url.includes('8080') ? 'A.example.:8080' : 'a.example'))),
    )
    expect(answers.map((answer) => bodyOf(answer).url)).toEqual(['/', '/?x', '/y'])
    const hosts = answers.map((answer) => bodyOf(answer).headers[1])
    expect(hosts).toEqual(['a.example', 'a.example', 'a.example:8080'])
  })

  test.each([
    ['a length', 'POST', 'Content-Length: 5\r\n\r\nhello'],
    ['chunks', 'POST', 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'],
    ['chunks of a GET', 'GET', 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'],
    ['a length that Connection names', 'GET', 'Connection: Content-Length\r\nContent-Length: 5\r\n\r\nhello'],
  ])('a body with %s arrives as that body and never as a second request', async (_name, method, rest) => {
    const { proxyPort } = await proxyUnderTest(await echoHost('h'), { policy: { allow: ['a.example'] } })
    const answer = await send(proxyPort, `${method} http://a.example/ HTTP/1.1\r\nHost: a.example\r\n${rest}`)
    expect(bodyOf(answer)).toMatchObject({ method, body: 'hello' })
    expect(answer.match(/"name"/g)).toHaveLength(1)
  })

  test('a host that answers before it has the whole body is heard', async () => {
    const port = await rawHost((socket) => {
      socket.once('data', () => {
        socket.end('HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig', () =>
          socket.destroy(),
        )
      })
    })
    const { proxyPort } = await proxyUnderTest(port, { policy: { allow: ['a.example'] } })
    const answer = await send(
      proxyPort,
      'POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: 9999\r\n\r\nstart',
    )
    expect([statusOf(answer), answer.endsWith('big')]).toEqual(['413', true])
  })

  test('bytes sent with CONNECT reach the host', async () => {
    const port = await rawHost((socket) => socket.pipe(socket))
    const { proxyPort } = await proxyUnderTest(port, { policy: { allow: ['a.example'] } })
    const socket = createConnection({ port: proxyPort, allowHalfOpen: true })
    socket.end('CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\nearly bytes')
    expect((await readAll(socket)).split('\r\n\r\n')[1]).toBe('early bytes')
  })
})

describe('[O17] tunnels', () => {
  const policy = { allow: ['a.example'] }

  test('an end that has finished still gets the rest', async () => {
    const rest = 'r'.repeat(3_000_000)
    const port = await rawHost((socket) => {
      let text = ''
      socket.on('data', (part) => {
        text += part
      })
      socket.once('end', () => socket.end(`${text}${rest}`))
    })
    const { proxyPort } = await proxyUnderTest(port, { policy })
    const answers = await Promise.all(
      ['one', 'two', 'three'].map(async (word) => {
        const socket = await openTunnel(proxyPort, 'a.example:443')
        socket.end(word)
        return readAll(socket)
      }),
    )
    expect(answers.map((answer) => [answer.slice(0, -rest.length), answer.length])).toEqual(
      ['one', 'two', 'three'].map((word) => [word, word.length + rest.length]),
    )
  })

  test.each([
    ['silent', { idleMs: 50 }, false],
    ['half open and silent', { halfOpenMs: 50 }, true],
  ])('a tunnel that is %s is ended on both sides', async (_name, limits, isHalfOpen) => {
    const closed: Promise<unknown>[] = []
    const port = await rawHost((socket) => closed.push(once(socket.resume(), 'close')))
    const { proxyPort } = await proxyUnderTest(port, { policy, limits })
    const socket = await openTunnel(proxyPort, 'a.example:443')
    if (isHalfOpen) socket.end()
    await once(socket.resume(), 'end')
    expect(closed).toHaveLength(1)
    socket.destroy()
  })

  test('when either side breaks off, the other is told', async () => {
    const hosts: Socket[] = []
    const port = await rawHost((socket) => hosts.push(socket))
    const { proxyPort } = await proxyUnderTest(port, { policy })
    const [one, two] = [await openTunnel(proxyPort, 'a.example:443'), await openTunnel(proxyPort, 'a.example:443')]
    await expect.poll(() => hosts.length, { timeout: 30_000 }).toBe(2)
    hosts[0]?.resetAndDestroy()
    await once(one.resume(), 'end')
    const ended = once(hosts[1]!.resume(), 'end')
    two.destroy()
    await ended
  })

  test('closing the proxy ends its tunnels and takes nobody any more', async () => {
    const { proxyPort, proxy } = await proxyUnderTest(await rawHost(() => {}), { policy })
    const socket = await openTunnel(proxyPort, 'a.example:443')
    await Promise.all([proxy.close(), once(socket.resume(), 'end')])
    await expect(once(createConnection({ port: proxyPort }), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

describe('[O17] hosts that do not answer', () => {
  const policy = { allow: ['a.example'] }
  const both = ['CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n', get('http://a.example/')]

  test('a name that cannot be resolved', async () => {
    for (const lookup of [async () => [], () => Promise.reject(new Error('SERVFAIL'))]) {
      const { proxyPort, entries } = await proxyUnderTest(1, { policy, lookup })
      for (const text of both)
        expect(await send(proxyPort, text)).toMatch(/^HTTP\/1.1 502 [\s\S]*a\.example could not be resolved/)
      expect(entries.map(({ outcome }) => outcome)).toEqual(['name_not_found', 'name_not_found'])
    }
  })

  test('a resolver that never answers', async () => {
    const { proxyPort } = await proxyUnderTest(1, {
      policy,
      lookup: () => new Promise(() => {}),
      limits: { lookupMs: 20 },
    })
    for (const text of both) expect(statusOf(await send(proxyPort, text))).toBe('504')
  })

  test('an address that never answers, and one that refuses: the next address is tried', async () => {
    const tried: string[] = []
    const port = await echoHost('third')
    const { proxyPort } = await proxyUnderTest(1, {
      policy,
      lookup: async () => ['93.184.216.1', '93.184.216.2', '93.184.216.3'],
      connect: (address) => {
        tried.push(address)
        if (address.endsWith('.1')) return new Socket()
        return createConnection({ host: '127.0.0.1', port: address.endsWith('.2') ? 1 : port, allowHalfOpen: true })
      },
      limits: { connectMs: 1_000 },
    })
    expect(bodyOf(await send(proxyPort, get('http://a.example/'))).name).toBe('third')
    expect(tried).toEqual(['93.184.216.1', '93.184.216.2', '93.184.216.3'])
  })

  test('no address answers', async () => {
    const { proxyPort, entries } = await proxyUnderTest(1, {
      policy,
      connect: () => new Socket(),
      limits: { connectMs: 20 },
    })
    for (const text of both) expect(await send(proxyPort, text)).toMatch(/^HTTP\/1.1 504 [\s\S]*did not answer in time/)
    expect(entries.map(({ outcome }) => outcome)).toEqual(['timeout', 'timeout'])
  })

  test('a host that takes the request and says nothing, breaks off, or talks nonsense', async () => {
    const answers = [
      '',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      'SSH-2.0-x\r\n',
    ]
    const silent = await proxyUnderTest(await rawHost((socket) => socket.resume()), { policy, limits: { idleMs: 50 } })
    expect(statusOf(await send(silent.proxyPort, get('http://a.example/')))).toBe('504')
    for (const answer of answers) {
      const { proxyPort } = await proxyUnderTest(
        await rawHost((socket) => socket.once('data', () => socket.end(answer))),
        {
          policy,
        },
      )
      expect(await send(proxyPort, get('http://a.example/'))).toMatch(/^HTTP\/1.1 502 [\s\S]*broke off/)
    }
  })

  test('a client that leaves while its connection is made takes it along', async () => {
    const sockets: Socket[] = []
    const { proxyPort } = await proxyUnderTest(1, {
      policy,
      connect: () => {
        const socket = new Socket()
        sockets.push(socket)
        return socket
      },
    })
    for (const count of [1, 2, 3]) {
      const client = createConnection({ port: proxyPort })
      client.write(get('http://a.example/'))
      await expect.poll(() => sockets.length, { timeout: 30_000 }).toBe(count)
      client.destroy()
      await expect.poll(() => sockets.at(-1)?.destroyed, { timeout: 30_000 }).toBe(true)
    }
  })
})
