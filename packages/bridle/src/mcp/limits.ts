// Every limit of MCP servers as sources of tools, with a line on why that number.

/** Bytes of one message, and of one HTTP answer: as much as the result of a tool may have, and room for its wrapping. */
export const MESSAGE_BYTES_MAX = 16_000_000
/** Bytes that a program writes between two answers: log lines and progress are far less, and a flood costs time. */
export const NOISE_BYTES_MAX = 64_000_000
/** Tools of one server that an agent takes: servers with more are catalogues, of which an agent wants a part (`include`). */
export const TOOLS_MAX = 1_000
/** Pages of a list of tools: a server whose list never ends is left after some seconds. */
export const PAGES_MAX = 100
/** Characters of a tool's name on its server: the longest in use have 64. */
export const TOOL_NAME_CHARS_MAX = 256
/** Characters of a server's own name, which stands before each of its tools: it leaves half of the 64 to the tool. */
export const SERVER_NAME_CHARS_MAX = 32
/** Characters of a description: every request to the model carries it. Good ones have a few hundred. */
export const DESCRIPTION_CHARS_MAX = 2_000
/** Characters of a schema as JSON, for the same reason. A tool with a larger one is offered without it. */
export const SCHEMA_CHARS_MAX = 32_000
/** Levels of nesting in a schema: forms of people have five. The check of arguments recurses as deep. */
export const SCHEMA_DEPTH_MAX = 32
/** Blocks of a result: with more, a list of links would fill the context of the model. */
export const BLOCKS_MAX = 200
/** Characters of a field that only describes something, such as the address of a resource. */
export const FIELD_CHARS_MAX = 2_000
/** Time to connect: a program that npx has to fetch first takes some seconds. */
export const CONNECT_MS_MAX = 30_000
/** Time that a connection stays open for the next run: a conversation uses one connection, and an idle program costs memory. */
export const IDLE_MS = 60_000
/** Time for a server to end by itself, and again after SIGTERM: as long as the specification of MCP suggests, or less. */
export const CLOSE_MS_MAX = 1_000
/** Characters of the hash in a name that had to be changed: 24 bits tell the tools of a server apart. */
export const NAME_HASH_CHARS = 6
/** Characters of a tool's name: providers take no more. */
export const NAME_CHARS_MAX = 64
