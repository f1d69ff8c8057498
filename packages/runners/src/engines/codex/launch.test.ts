import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EngineSettings } from '../../protocol/protocol.ts'
import { codexCommand, threadSettings } from './launch.ts'

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
  expect(threadSettings({ settings, workFolder: '/w' })).toEqual({ cwd: '/w', approvalPolicy, sandbox }),
)

test('[EN20] [EN30] model, effort and instructions are passed on', () => {
  const settings = { model: 'm', effort: 'high' }
  expect(threadSettings({ settings, workFolder: '/w', instructions: 'Be brief.' })).toMatchObject({
    ...{ model: 'm', config: { model_reasoning_effort: 'high' }, developerInstructions: 'Be brief.' },
  })
})

test('its environment has what it needs and no more, and its settings name the relay', async () => {
  const stateFolder = await mkdtemp(join(tmpdir(), 'bridle-launch-'))
  const env = { PATH: '/bin', OPENAI_API_KEY: 'secret', BRIDLE_SANDBOX_ID: 's1' }
  const options = { file: 'codex', env, workFolder: stateFolder, stateFolder, baseUrl: 'http://relay/v1/', retries: 2 }
  const started = await codexCommand(options)
  expect(started.env).toEqual({
    PATH: '/bin',
    LANG: 'C.UTF-8',
    HOME: join(stateFolder, 'home'),
    CODEX_HOME: join(stateFolder, 'codex'),
    TMPDIR: join(stateFolder, 'tmp'),
    BRIDLE_RELAY: 'none',
    BRIDLE_SANDBOX_ID: 's1',
  })
  expect(started.args).toContain(
    'model_providers.bridle={name="bridle",base_url="http://relay/v1",wire_api="responses",env_key="BRIDLE_RELAY",request_max_retries=2,stream_max_retries=2}',
  )
  expect(started.args).toContain(`projects={"${stateFolder}"={trust_level="untrusted"}}`)
  await rm(stateFolder, { recursive: true })
})
