// Bridle with a container for each session that runs an engine; deployed by wrangler.containers.jsonc.

import { Container } from '@cloudflare/containers'
import { HarnessGateway } from 'bridle/cloudflare'

export { HarnessDirectory, HarnessSession } from 'bridle/cloudflare'
export default HarnessGateway

/** apps/sandbox, as an image. */
export class HarnessSandbox extends Container {
  override defaultPort = 4318
  /** A session that nobody asks anything lets go of its machine; its transcripts are then gone, and its log is not. */
  override sleepAfter = '10m'
}
