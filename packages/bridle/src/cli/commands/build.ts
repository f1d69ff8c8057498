// `bridle build`: what is deployed, on disk and nowhere else.
import { once } from 'node:events'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { noteBuild } from '../../targets/node/build-manifests.ts'
import { workerProject } from '../cloudflare/worker-project.ts'
import { startWrangler } from '../cloudflare/wrangler.ts'
import { EXIT, Stop, serving, verb } from '../command.ts'

export const build = verb({
  summary: 'bundle agents/ for a target',
  takes: [],
  options: {
    target: { type: 'string', value: 'TARGET', help: 'cloudflare (default)' },
    out: { type: 'string', value: 'FOLDER', help: 'else dist/worker' },
    ...serving,
  },
  notes: `Nothing leaves this machine. To deploy what was built: npx wrangler deploy, with the configuration it names.
A project with a wrangler.jsonc of its own is built by that.`,
  act: async ({ flags, env, out }) => {
    const { target = 'cloudflare', out: folder = 'dist/worker', data = env.BRIDLE_DATA ?? '.bridle' } = flags
    if (target !== 'cloudflare') throw new Stop(EXIT.usage, `There is no target "${target}"; cloudflare is one.`)
    const { config, agents, problems } = await workerProject(data)
    for (const problem of problems) out.line(`left out: ${problem}`)
    const child = startWrangler(['deploy', '--dry-run', '--outdir', resolve(folder), '--config', config], env)
    const [said, wrong, [code]] = await Promise.all([
      text(child.stdout as NodeJS.ReadableStream),
      text(child.stderr as NodeJS.ReadableStream),
      once(child, 'exit'),
    ])
    if (code !== 0) throw new Stop(EXIT.failed, `wrangler could not build it:\n${wrong.trim() || said.trim()}`)
    const size = /Total Upload: (.*)/.exec(said)?.[1] ?? 'size unknown'
    noteBuild(data, folder, { target, agents, size }, Date.now())
    out.line(`${folder}: ${size}`)
    out.line(`deploy it: npx wrangler deploy --config ${config}`)
    return EXIT.ok
  },
})
