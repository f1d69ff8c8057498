// Bridle with its built-in agents. With agents of your own: `const { … } = harness({ agents: [mine] })`.
import { HarnessGateway } from 'bridle/cloudflare'

export { HarnessDirectory, HarnessSession } from 'bridle/cloudflare'
export default HarnessGateway
