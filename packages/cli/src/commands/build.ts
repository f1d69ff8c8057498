import { once } from 'node:events'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { saveBuildManifest } from '@bridle/server/node/build-manifests'
import { workerProject } from '../cloudflare/worker-project.ts'
import { findWrangler, startWrangler } from '../cloudflare/wrangler.ts'
import { defineCommand, failure, usageError } from '../command/command.ts'
import { agentsOptions, dataOptions } from '../command/setting-flags.ts'
import { agentsSetting } from '../config/agents-folder.ts'
import { readConfigFile } from '../config/config-file.ts'
import { DEFAULT_DATA } from '../config/default-data.ts'

export const build = defineCommand({
  options: {
    target: { type: 'string', value: 'TARGET', help: 'cloudflare (default)' },
    out: { type: 'string', value: 'FOLDER', help: 'else dist/worker' },
    ...agentsOptions,
    ...dataOptions,
  },
  notes: `Nothing leaves this machine. To deploy what was built: npx wrangler deploy, with the configuration it names.
A project with a wrangler.jsonc of its own is built by that.`,
  run: async ({ flags, env, out }) => {
    const { target = 'cloudflare', out: folder = 'dist/worker', data = env.BRIDLE_DATA ?? DEFAULT_DATA } = flags
    if (target !== 'cloudflare') throw usageError(`There is no target "${target}"; cloudflare is one.`)
    const source = agentsSetting(flags, env, await readConfigFile())
    // Fail before writing any files.
    findWrangler(env)
    const { config, agents, problems } = await workerProject(data, source, { isDev: false })
    for (const problem of problems) out.line(`left out: ${problem}`)
    const child = startWrangler(['deploy', '--dry-run', '--outdir', resolve(folder), '--config', config], env)
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout as NodeJS.ReadableStream),
      text(child.stderr as NodeJS.ReadableStream),
      once(child, 'exit'),
    ])
    if (code !== 0) throw failure(`wrangler could not build it:\n${errors.trim() || output.trim()}`)
    const size = /Total Upload: (.*)/.exec(output)?.[1] ?? 'size unknown'
    saveBuildManifest(data, folder, { target, agents, size }, Date.now())
    out.line(`${folder}: ${size}`)
    if (agents !== null) out.line(agentsLine(agents))
    out.line(`deploy it: npx wrangler deploy --config ${config}`)
  },
})

/** A build outside the project's folder succeeds without its agents, so say so. */
const agentsLine = (agents: readonly string[]): string =>
  agents.length > 0
    ? `agents: ${agents.join(', ')}`
    : 'No agents were found: the Worker has only those that every server has. Build in the folder that holds agents/, or name another one with --agents.'
