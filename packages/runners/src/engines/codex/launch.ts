// Finds Codex's program and starts it, so that it reaches only the relay and writes only to its state folder.
import { existsSync } from 'node:fs'
import { mkdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { JsonObject } from '@bridle/events/json'
import { tryOr } from '@bridle/kernel/try-or'
import { findPackage } from '../../engine-table/engine-packages.ts'
import { SANDBOX_VARIABLE } from '../../process/sandbox-processes.ts'
import type { EngineCommand } from '../../sandboxes/isolation/engine-start.ts'
import type { EngineOptions } from '../engine.ts'
import { installHint, notInstalledMessage } from '../engine-install.ts'
import { codexDescription } from './description.ts'

const { packageName } = codexDescription

/** The native program inside the package for this platform, as the package's own launcher finds it. */
export const findCodex = (
  env: NodeJS.ProcessEnv = process.env,
): { file: string; version: string } | { missing: string } => {
  const found = findPackage(packageName, env)
  if (!found) return { missing: notInstalledMessage(codexDescription, env) }
  const target = TARGETS[`${process.platform}-${process.arch}`]
  if (!target) return { missing: `Codex has no build for ${process.platform} on ${process.arch}.` }
  const name = process.platform === 'win32' ? 'codex.exe' : 'codex'
  for (const folder of [platformFolder(found.resolve), found.folder]) {
    const file = folder && join(folder, 'vendor', target, 'bin', name)
    if (file && existsSync(file)) return { file, version: found.version }
  }
  const hint = `npm leaves it out with --omit=optional. ${installHint(packageName, env)}`
  return { missing: `Codex is installed without its program for this platform: ${hint}` }
}

const TARGETS: Record<string, string> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
  'win32-x64': 'x86_64-pc-windows-msvc',
  'win32-arm64': 'aarch64-pc-windows-msvc',
}

const platformFolder = (resolve: (name: string) => string): string | null =>
  tryOr(null, () => dirname(resolve(`${packageName}-${process.platform}-${process.arch}/package.json`)))

export interface CodexLaunchOptions extends Pick<EngineOptions, 'workFolder' | 'stateFolder'> {
  readonly baseUrl: string
  readonly file: string
  readonly env: NodeJS.ProcessEnv
  /** How often Codex repeats a request or reconnects a stream; undefined = the default of Codex. */
  readonly retries?: number | undefined
}

export const codexCommand = async ({
  file,
  env,
  workFolder,
  stateFolder,
  ...more
}: CodexLaunchOptions): Promise<EngineCommand> => {
  const at = (name: string) => join(stateFolder, name)
  const [home, codexHome, temporary] = [at('home'), at('codex'), at('tmp')]
  const folders = new Set([workFolder, await realpath(workFolder)])
  const settings = [
    ...providerSettings(more),
    ...SETTINGS,
    `projects={${[...folders].map(untrustedProject).join(',')}}`,
  ]
  const args = ['app-server', ...settings.flatMap((setting) => ['-c', setting])]
  return {
    ...(await withFolders(file, args, [home, codexHome, temporary])),
    program: file,
    cwd: workFolder,
    env: {
      PATH: env.PATH ?? '',
      LANG: env.LANG ?? 'C.UTF-8',
      HOME: home,
      CODEX_HOME: codexHome,
      // Codex sandboxes no command when its home is inside the temporary folder, so it gets one that is beside it.
      TMPDIR: temporary,
      // A placeholder: the relay adds the real key.
      [KEY_VARIABLE]: 'none',
      ...(env[SANDBOX_VARIABLE] && { [SANDBOX_VARIABLE]: env[SANDBOX_VARIABLE] }),
    },
  }
}

/** Makes the folders inside the sandbox, as the engine's user: a link in the engine's folder could lead the server anywhere. */
const withFolders = async (file: string, args: readonly string[], folders: readonly string[]) => {
  if (process.platform !== 'win32')
    return {
      file: '/bin/sh',
      args: ['-c', 'mkdir -p "$HOME" "$CODEX_HOME" "$TMPDIR" && exec "$0" "$@"', file, ...args],
    }
  for (const folder of folders) await mkdir(folder, { recursive: true })
  return { file, args }
}

const KEY_VARIABLE = 'BRIDLE_RELAY'

// All of these are TOML, in which our strings are written as in JSON.
const SETTINGS = [
  'model_provider="bridle"',
  'check_for_update_on_startup=false',
  'analytics.enabled=false',
  // Without these Codex contacts its vendor and keeps another process running.
  'features.plugins=false',
  'features.apps=false',
  'features.daemon_auto_start=false',
  // A goal starts turns that no prompt asked for and no run follows.
  'features.goals=false',
  // Codex asks questions outside of its plan mode only with this feature, which it calls unfinished in a warning of each session.
  'features.default_mode_request_user_input=true',
  'suppress_unstable_features_warning=true',
  // The runner reads the instructions in the work folder, and gives Codex what counts of them.
  'project_doc_max_bytes=0',
  'skills.include_instructions=false',
  // A skill of the repository could bring an MCP server, which is a program.
  'features.skill_mcp_dependency_install=false',
]

/** A trusted folder may make Codex start programs without approval, and Codex trusts every folder that no setting names. */
const untrustedProject = (folder: string): string => `${JSON.stringify(folder)}={trust_level="untrusted"}`

const providerSettings = ({ baseUrl, retries }: Pick<CodexLaunchOptions, 'baseUrl' | 'retries'>): string[] => {
  const provider = [
    'name="bridle"',
    `base_url=${JSON.stringify(baseUrl.replace(/\/$/, ''))}`,
    'wire_api="responses"',
    `env_key="${KEY_VARIABLE}"`,
    ...(retries === undefined ? [] : [`request_max_retries=${retries}`, `stream_max_retries=${retries}`]),
  ]
  return [`model_providers.bridle={${provider.join(',')}}`]
}

export const threadSettings = ({
  settings: { model, effort, permission_mode },
  workFolder,
  instructions,
}: Pick<EngineOptions, 'settings' | 'workFolder' | 'instructions'>): JsonObject => ({
  cwd: workFolder,
  ...(model && { model }),
  ...(effort && { config: { model_reasoning_effort: effort } }),
  ...(instructions && { developerInstructions: instructions }),
  ...(Object.hasOwn(MODES, permission_mode ?? '') ? MODES[permission_mode!] : MODES.default),
})

/**
 * | mode | asks | its sandbox |
 * | --- | --- | --- |
 * | default, and any it does not know | before every command and change | writes in the work folder, no network |
 * | acceptEdits | before leaving the sandbox | the same |
 * | dontAsk | never | the same |
 * | plan | never: an approved command could leave the sandbox | writes nowhere |
 * | bypassPermissions | never | none |
 */
const MODES: Record<string, JsonObject> = {
  default: { approvalPolicy: 'untrusted', sandbox: 'workspace-write' },
  acceptEdits: { approvalPolicy: 'on-request', sandbox: 'workspace-write' },
  dontAsk: { approvalPolicy: 'never', sandbox: 'workspace-write' },
  plan: { approvalPolicy: 'never', sandbox: 'read-only' },
  bypassPermissions: { approvalPolicy: 'never', sandbox: 'danger-full-access' },
}
