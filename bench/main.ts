// `npm run bench -- kernel` (or `agent`, `background`, `cli`, `cockpit`, `delta`, `fanout`, `first-agent`, `history`, `lists`, `openharness`, `replay`, `runner`, `cloudflare`, `voice`): one JSON line per figure; exits with 1 when
// a check of what was read back or delivered failed.
import { agent } from './agent.ts'
import { append } from './append.ts'
import { background } from './background.ts'
import { cli } from './cli.ts'
import { cloudflare } from './cloudflare.ts'
import { delta } from './delta.ts'
import { fanout } from './fanout.ts'
import { type BenchFigure, print } from './figure.ts'
import { firstAgent } from './first-agent.ts'
import { history } from './history.ts'
import { lists } from './lists.ts'
import { memory } from './memory.ts'
import { open } from './open.ts'
import { openharness } from './openharness.ts'
import { replay } from './replay.ts'
import { runner } from './runner.ts'
import { voice } from './voice.ts'

const benches: { readonly [name: string]: readonly (() => Promise<BenchFigure[]>)[] } = {
  kernel: [append, open, memory],
  agent: [agent],
  background: [background],
  cli: [cli],
  // A browser and a bundler come with it: the others start without them.
  cockpit: [async () => (await import('./cockpit.ts')).cockpit()],
  delta: [delta],
  fanout: [fanout],
  'first-agent': [firstAgent],
  history: [history],
  lists: [lists],
  openharness: [openharness],
  replay: [replay],
  runner: [runner],
  cloudflare: [cloudflare],
  voice: [voice],
}

const names = process.argv.slice(2)
const unknown = names.find((name) => !Object.hasOwn(benches, name))
if (unknown !== undefined || names.length === 0) {
  console.error(`Say which: ${Object.keys(benches).join(', ')}`)
  process.exit(1)
}
for (const name of names) {
  for (const bench of benches[name] ?? []) if (!print(await bench())) process.exitCode = 1
}
