// Settings of `npm start`: the built page is what the server shows at /.
import type { ServerOptions } from 'bridle/node'

export default { cockpit: 'dist' } satisfies ServerOptions
