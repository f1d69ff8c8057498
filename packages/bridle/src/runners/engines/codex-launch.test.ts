import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EngineSettings } from '../protocol.ts'
import { launch, threadSettings } from './codex-launch.ts'

test.each<[EngineSettings, string, string]>([
  [{}, 'untrusted', 'workspace-write'],
  [{ permission_mode: 'default' }, 'untrusted', 'workspace-write'],
  [{ permission_mode: 'of tomorrow' }, 'untrusted', 'workspace-write'],
  [{ permission_mode: 'toString' }, 'untrusted', 'workspace-write'],
  [{ permission_mode: 'acceptEdits' }, 'on-request', 'workspace-write'],
  [{ permission_mode: 'dontAsk' }, 'never', 'workspace-write'],
  [{ permission_mode: 'plan' }, 'never', 'read-only'],
  [{ permission_mode: 'bypassPermissions' }, 'never', 'danger-full-access'],
])('%o', (settings, approvalPolicy, sandbox) =>
  expect(threadSettings(settings, '/w')).toEqual({ cwd: '/w', approvalPolicy, sandbox }),
)

test('a model is passed on', () => expect(threadSettings({ model: 'm' }, '/w')).toMatchObject({ model: 'm' }))

test('its environment has what it needs and no more, and its settings name the relay', async () => {
  const stateFolder = await mkdtemp(join(tmpdir(), 'bridle-launch-'))
  const started = await launch({
    file: 'codex',
    workFolder: '/w',
    stateFolder,
    baseUrl: 'http://relay/v1/',
    retries: 2,
  })
  const names = ['PATH', 'LANG', 'HOME', 'CODEX_HOME', 'TMPDIR', 'BRIDLE_RELAY']
  expect(Object.keys(started.env).sort()).toEqual(names.sort())
  expect(started.args).toContain(
    'model_providers.bridle={name="bridle",base_url="http://relay/v1",wire_api="responses",env_key="BRIDLE_RELAY",request_max_retries=2,stream_max_retries=2}',
  )
  await rm(stateFolder, { recursive: true })
})
