import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ShellFault } from './messages/fault.ts'
import { failure, outcomes, say, stubShell, success } from './stub-engine.suite.ts'

const golden = (name: string): { request_id: string } & ReturnType<typeof success> =>
  JSON.parse(readFileSync(new URL(`../../surfaces/src/openharness/fixtures/${name}.json`, import.meta.url), 'utf8'))

const withDirectives = (directives: unknown) => ({
  protocol_version: '1.0.0',
  response: { status: 'success', action_directives: directives },
})

describe('responses', () => {
  test.each<[string, unknown, string]>([
    ['null', null, ''],
    ['undefined', undefined, ''],
    ['text', '<!doctype html><title>502</title>', ''],
    ['a list', [success(say('no'))], ''],
    ['a number', 7, ''],
    ['nothing in it', {}, 'protocol_version'],
    ['no version', { response: success(say('no')).response }, 'protocol_version'],
    ['a null version', { ...success(say('no')), protocol_version: null }, 'protocol_version'],
    ['a short version', { ...success(say('no')), protocol_version: '1.0' }, 'protocol_version'],
    ['a version with a v', { ...success(say('no')), protocol_version: 'v1.0.0' }, 'protocol_version'],
    ['a numeric version', { ...success(say('no')), protocol_version: 1 }, 'protocol_version'],
    ['both request and response', { ...success(say('no')), request: {} }, 'request'],
    ['a request alone', { protocol_version: '1.0.0', request: {} }, 'request'],
    ['a null response', { protocol_version: '1.0.0', response: null }, 'response'],
    ['a response that is a list', { protocol_version: '1.0.0', response: [] }, 'response'],
    ['another request id', { ...success(say('no')), request_id: 'other' }, 'request_id'],
    ['a null request id', { ...success(say('no')), request_id: null }, 'request_id'],
    ['no status', { protocol_version: '1.0.0', response: { action_directives: [say('no')] } }, 'response.status'],
    ['a new status', { protocol_version: '1.0.0', response: { status: 'partial' } }, 'response.status'],
    ['null directives', withDirectives(null), 'response.action_directives'],
    ['directives that are an object', withDirectives({ 0: say('no') }), 'response.action_directives'],
    ['too many directives', withDirectives(Array(1_001).fill(say('no'))), 'response.action_directives'],
  ])('[OHS10] refuses %s, and executes nothing', async (_name, message, field) => {
    const { shell, calls, feedback } = stubShell([message, success(say('next'))])
    expect(await shell.send('Hello')).toMatchObject({
      status: 'error',
      responses: [],
      error: { code: 'invalid_response', source: 'shell', retryable: false, details: { field } },
    })
    expect([calls, feedback]).toEqual([[], []])
    await shell.send('Hello')
    expect(calls).toEqual(['next'])
  })

  test('[OHS10] takes a thousand directives', async () => {
    const { shell, calls } = stubShell([withDirectives(Array(1_000).fill(say('yes')))])
    await shell.send('Hello')
    expect(calls).toHaveLength(1_000)
  })

  test.each(['1.0.0', '01.0.0', '1.9.12', '1.0.1-rc.1', '1.2.0+build.5'])(
    '[OHS11] takes version %s',
    async (version) => {
      const { shell, calls } = stubShell([{ ...success(say('yes')), protocol_version: version }])
      expect((await shell.send('Hello')).status).toBe('success')
      expect(calls).toEqual(['yes'])
    },
  )

  test.each(['2.0.0', '0.9.0', '10.0.0'])('[OHS11] refuses version %s', async (version) => {
    const { shell, calls } = stubShell([{ ...success(say('no')), protocol_version: version }])
    expect((await shell.send('Hello')).error?.code).toBe('protocol_version_unsupported')
    expect(calls).toEqual([])
  })

  test('[OHS12] ignores unknown fields everywhere, and unknown capabilities', async () => {
    const directive = { ...say('yes'), shiny: null, extensions: { 'com.example': { a: null } } }
    const message = {
      ...success(directive),
      request: 'no object, so no second message',
      supported_capabilities: { 'com.example.unknown': { deep: [1] } },
      capability_denials: [],
      extensions: null,
      response: { ...success(directive).response, extensions: { 'dev.bridle': { session_id: 's' } }, more: [null] },
    }
    const { shell, calls, telemetry } = stubShell([message])
    expect((await shell.send('Hello')).status).toBe('success')
    expect([calls, telemetry]).toEqual([['yes'], []])
  })

  test('[OHS13] does without fields that only inform', async () => {
    const message = {
      ...success(),
      correlation_id: null,
      supported_protocol_versions: '1.0.0',
      supported_capabilities: [],
      capability_denials: [{ capability: 'openharness.streaming' }, { code: 'x' }, null],
      response: { status: 'success', engine_latency_ms: -1, error: null, action_directives: [say('yes')] },
    }
    const { shell, calls, telemetry } = stubShell([message])
    expect((await shell.send('Hello', { requestId: 'r' })).error).toBeNull()
    expect(calls).toEqual(['yes'])
    expect(telemetry.map(({ code, field }) => `${code} ${field}`)).toEqual([
      'ignored_field correlation_id',
      'ignored_field supported_protocol_versions',
      'ignored_field supported_capabilities',
      'ignored_field capability_denials',
      'ignored_field response.engine_latency_ms',
      'ignored_field response.error',
      'capability_denied openharness.streaming',
    ])
  })

  test.each<[unknown, object]>([
    [
      { code: 'engine_timeout', message: 'Later.', retryable: true, details: { a: 1 } },
      { code: 'engine_timeout', message: 'Later.', retryable: true, details: { a: 1 }, source: 'engine' },
    ],
    [{ code: 'invalid_request' }, { code: 'invalid_request', retryable: false, source: 'engine' }],
    [undefined, { code: 'unknown_error', retryable: false, source: 'engine' }],
    [null, { code: 'unknown_error', retryable: false, source: 'engine' }],
    [
      { code: '', message: 7, retryable: 'yes', details: [] },
      { code: 'unknown_error', retryable: false, source: 'engine' },
    ],
  ])('[OHS14] the error %j ends the turn without its directives', async (error, expected) => {
    const message = { ...failure(error), response: { ...failure(error).response, action_directives: [say('no')] } }
    const { shell, calls } = stubShell([message])
    const turn = await shell.send('Hello')
    expect([turn.status, turn.error, calls]).toEqual(['error', expected, []])
    expect(turn.responses).toHaveLength(1)
  })

  test('[OHS15] a denied capability is telemetry, and the turn goes on', async () => {
    const message = golden('im-cli-response-capability-denials')
    const { shell, calls, telemetry } = stubShell([message])
    expect((await shell.send('Hello', { requestId: message.request_id })).status).toBe('success')
    expect(calls).toEqual(['Plain text only; cards unavailable in this deployment.'])
    expect(telemetry).toEqual([
      { code: 'capability_denied', request_id: message.request_id, field: 'openharness.ui.rich_cards' },
    ])
  })

  test.each([
    ['minimal-response', ['Acknowledged.'], null],
    ['feishu-cli-response-success', ['Next step: confirm your email in the card below.'], null],
    ['im-cli-response-success', ['Next step: confirm your email in the card below.'], null],
    ['minimal-response-error', [], 'invalid_request'],
    ['minimal-response-protocol-unsupported', [], 'protocol_version_unsupported'],
  ])('[OHS10] [OHS14] the golden message %s', async (name, texts, code) => {
    const message = golden(name)
    const { shell, calls } = stubShell([message])
    const turn = await shell.send('Hello', { requestId: message.request_id })
    expect([calls, turn.error?.code ?? null, turn.error?.source ?? 'engine']).toEqual([texts, code, 'engine'])
  })

  test('a transport that fails is a failed turn with its cause; the same request id may be sent again', async () => {
    const failures = [new TypeError('refused'), new ShellFault('timed_out', 'Too slow.'), null]
    const ids: unknown[] = []
    const transport = async ({ request_id }: { request_id?: string }) => {
      ids.push(request_id)
      const fault = failures.shift()
      if (fault) throw fault
      return success(say('there'))
    }
    const { shell, calls, feedback } = stubShell([], { transport })
    const first = await shell.send('Hello')
    expect(first.error).toMatchObject({
      code: 'unreachable',
      retryable: true,
      source: 'shell',
      cause: expect.any(TypeError),
    })
    const { requestId } = first
    expect((await shell.send('Hello', { requestId })).error).toMatchObject({ code: 'timed_out', retryable: true })
    expect((await shell.send('Hello', { requestId })).status).toBe('success')
    expect([ids, calls, outcomes(feedback)]).toEqual([Array(3).fill(requestId), ['there'], [['executed', null]]])
  })
})
