// A runner whose engine answers at once: the rest of a turn's time belongs to the product.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { puppetEngine } from '@bridle/runners/engines/puppet.suite'
import { SandboxRunner } from '@bridle/runners/server/sandbox-runner'

const folder = mkdtempSync(join(tmpdir(), 'bridle-bench-'))
const { url } = await SandboxRunner.start({
  engines: [puppetEngine('claude')],
  workFolder: join(folder, 'work'),
  stateFolder: join(folder, 'state'),
})
console.log(`ready at ${url}`)
