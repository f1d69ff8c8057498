// Settings of the server. `npm start` shows the built page at /, and `npm run dev` the cockpit.
import type { ServerOptions } from 'bridle/node'

export default (process.env.PAGE === 'vite' ? {} : { cockpit: 'dist' }) satisfies ServerOptions
