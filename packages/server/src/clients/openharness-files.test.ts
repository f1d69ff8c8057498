// Files that a shell uploads: over transports of a program's own, over HTTP, and to Bridle's own engine.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent } from '@bridle/agents/agent'
import type { ShellFile, UploadCall } from '@bridle/openharness/files/shell-file'
import { type HttpTransportOptions, httpTransport } from '@bridle/openharness/http-transport'
import { ShellFault } from '@bridle/openharness/messages/fault'
import type { ShellOptions } from '@bridle/openharness/options'
import { stubShell, success } from '@bridle/openharness/stub-engine.suite'
import type { RequestMessage } from '@bridle/wire/openharness/wire'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HarnessServer } from '../node/index.ts'

/** A shell whose transport keeps its requests and uploads. `faults` uploads fail first. */
const uploadingShell = (options: Partial<ShellOptions> = {}, faults = 0) => {
  const requests: RequestMessage[] = []
  const uploads: (ShellFile & { readonly call: UploadCall })[] = []
  let failing = faults
  const transport = Object.assign(
    async (request: RequestMessage) => {
      requests.push(structuredClone(request))
      return success()
    },
    {
      upload: async (file: ShellFile, call: UploadCall) => {
        uploads.push({ ...file, call })
        if (failing-- > 0) throw new ShellFault('unreachable', 'Not now.')
        return { ref_id: `file-${uploads.length}` }
      },
    },
  )
  const attachmentsOf = () => requests.map(({ request }) => request.context?.attachments)
  return { ...stubShell([], { transport, ...options }), requests, uploads, attachmentsOf }
}

describe('attachments', () => {
  test('[OH110] files are uploaded in their order, and the request names their references', async () => {
    const { shell, uploads, attachmentsOf } = uploadingShell({ auth: { tenant_id: 'acme' } })
    const [picture, bytes] = [new File(['x'], 'a.png', { type: 'image/png' }), Uint8Array.of(1)]
    await shell.send('Look', { attachments: [picture, { asset_id: 'logo' }, { content: bytes, name: 'b.bin' }] })
    await shell.send('Look again', { attachments: [picture] })
    expect(attachmentsOf()).toEqual([
      [{ ref_id: 'file-1' }, { asset_id: 'logo' }, { ref_id: 'file-2' }],
      [{ ref_id: 'file-3' }],
    ])
    expect(uploads.map(({ content, name, call }) => [content, name, call.tenantId])).toEqual([
      [picture, undefined, 'acme'],
      [bytes, 'b.bin', 'acme'],
      [picture, undefined, 'acme'],
    ])
  })

  test('[OH110] a turn whose upload fails sends nothing, and the same turn uploads only what is missing', async () => {
    const { shell, uploads, requests, attachmentsOf } = uploadingShell({}, 1)
    const attachments = [new Blob(['a']), new Blob(['b'])]
    const failed = await shell.send('Look', { attachments })
    expect([failed.error?.code, failed.error?.retryable, requests.length]).toEqual(['unreachable', true, 0])
    const { requestId } = failed
    await shell.send('Look', { attachments, requestId })
    await shell.send('Look', { attachments, requestId })
    expect([uploads.length, attachmentsOf()]).toEqual([
      3,
      [
        [{ ref_id: 'file-2' }, { ref_id: 'file-3' }],
        [{ ref_id: 'file-2' }, { ref_id: 'file-3' }],
      ],
    ])
  })

  test('[OH110] nothing is uploaded where the turn is wrong, or the transport uploads nothing', async () => {
    const { shell, uploads } = uploadingShell()
    const blob = new Blob(['x'])
    await expect(shell.send('Look', { attachments: [blob, {}] })).rejects.toMatchObject({
      code: 'invalid_options',
      details: { field: 'attachments.1' },
    })
    const wrong = { content: 'text' as unknown as Blob }
    await expect(shell.send('Look', { attachments: [wrong] })).rejects.toMatchObject({ code: 'invalid_options' })
    const untagged = uploadingShell({ environment: { os: 'x' } as unknown as ShellOptions['environment'] & object })
    await expect(untagged.shell.send('Look', { attachments: [blob] })).rejects.toMatchObject({
      code: 'invalid_options',
    })
    expect([uploads, untagged.uploads]).toEqual([[], []])
    const plain = stubShell([success()])
    await expect(plain.shell.send('Look', { attachments: [blob] })).rejects.toMatchObject({ code: 'invalid_options' })
    expect(plain.requests).toEqual([])
  })
})

describe('over HTTP', () => {
  /** An upload whose answer is this one. */
  const uploadOver = (answer: () => Response | Promise<Response>, options: Partial<HttpTransportOptions> = {}) => {
    const sent: { readonly url: string; readonly init: RequestInit }[] = []
    const ownFetch = async (url: unknown, init: RequestInit = {}) => {
      sent.push({ url: String(url), init })
      return answer()
    }
    const url = 'http://127.0.0.1:1/base/v1/openharness'
    const { upload } = httpTransport({ url, fetch: ownFetch as typeof fetch, ...options })
    const send = (file: ShellFile, call: Partial<UploadCall> = {}) =>
      upload?.(file, { signal: new AbortController().signal, ...call })
    return { send, sent }
  }
  const granted = () => Response.json({ ref_id: 'f', mime_type: 'text/csv', size_bytes: 3, more: 1 }, { status: 201 })

  test('[OH111] a file is posted beside the engine, with the headers of the program', async () => {
    const headers = () => ({ authorization: 'Bearer t' })
    const { send, sent } = uploadOver(granted, { headers })
    const reference = { ref_id: 'f', mime_type: 'text/csv', size_bytes: 3 }
    const file = new File(['a,b'], 'ä & b.csv', { type: 'text/csv' })
    expect(await send({ content: file }, { tenantId: 'acme' })).toEqual({ ...reference, filename: 'ä & b.csv' })
    expect(await send({ content: file, name: 'c', type: 'text/plain' })).toEqual({ ...reference, filename: 'c' })
    expect(await send({ content: Uint8Array.of(1) })).toEqual(reference)
    expect(sent.map(({ url, init }) => [url, new Headers(init.headers).get('content-type'), init.redirect])).toEqual([
      ['http://127.0.0.1:1/base/files?filename=%C3%A4+%26+b.csv', 'text/csv', 'error'],
      ['http://127.0.0.1:1/base/files?filename=c', 'text/plain', 'error'],
      ['http://127.0.0.1:1/base/files', 'application/octet-stream', 'error'],
    ])
    const [first, second] = sent.map(({ init }) => new Headers(init.headers))
    expect([first?.get('authorization'), first?.get('x-fabric-tenant'), second?.get('x-fabric-tenant')]).toEqual([
      'Bearer t',
      'acme',
      null,
    ])
  })

  test.each<[string, () => Response | Promise<Response>, Partial<HttpTransportOptions>, object]>([
    ['too large', () => Response.json({}, { status: 413 }), {}, { code: 'upload_refused', details: { status: 413 } }],
    ['later', () => Response.json({}, { status: 503 }), {}, { code: 'unreachable', details: { status: 503 } }],
    ['no server', () => Promise.reject(new TypeError('fetch failed')), {}, { code: 'unreachable' }],
    ['a page', () => new Response('<html>'), {}, { code: 'not_openharness', details: { status: 200 } }],
    ['another path', granted, { url: 'http://127.0.0.1:1/engine' }, { code: 'invalid_options' }],
  ])('[OH111] an upload that fails: %s', async (_name, answer, options, fault) => {
    await expect(uploadOver(answer, options).send({ content: Uint8Array.of(1) })).rejects.toMatchObject(fault)
  })

  test('[OH111] the program may name the address, and end an upload', async () => {
    const own = uploadOver(granted, { url: 'http://127.0.0.1:1/engine', filesUrl: 'http://127.0.0.1:2/up?k=1' })
    await own.send({ content: Uint8Array.of(1), name: 'a' })
    expect(own.sent[0]?.url).toBe('http://127.0.0.1:2/up?k=1&filename=a')
    const leave = new AbortController()
    const hanging = uploadOver(() => new Promise(() => {})).send(
      { content: Uint8Array.of(1) },
      { signal: leave.signal },
    )
    leave.abort()
    await expect(hanging).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('against the engine', () => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-shell-files-'))
  const reader = agent({
    name: 'reader',
    run: async ({ attachments }) =>
      (await Promise.all(attachments.map(async (file) => `${file.name}: ${await file.text()}`))).join(', '),
  })
  let server: HarnessServer
  beforeAll(async () => {
    server = await HarnessServer.start({ port: 0, data, store: 'memory', log: () => {}, agents: [reader] })
  })
  afterAll(async () => {
    await server.close()
    rmSync(data, { recursive: true, force: true })
  })

  test('[OH110] [OH61] three shells of two tenants send files, and the agent reads those of its turn', async () => {
    const shells = ['one', 'two', 'one'].map((tenant_id, index) => {
      const transport = httpTransport({ url: `${server.url}/v1/openharness` })
      return { index, ...stubShell([], { transport, auth: { tenant_id } }) }
    })
    const send = ({ shell, index }: (typeof shells)[number], turn: string) =>
      shell.send('Read.', {
        taskHint: { plugin_id: 'reader' },
        attachments: [new File([`${turn} of ${index}`], 'a.txt', { type: 'text/plain' }), { asset_id: 'logo' }],
      })
    for (const turn of ['first', 'second'])
      for (const result of await Promise.all(shells.map((each) => send(each, turn)))) expect(result.error).toBeNull()
    for (const { calls, index } of shells)
      expect(calls).toEqual([`a.txt: first of ${index}`, `a.txt: second of ${index}`])
  })
})
