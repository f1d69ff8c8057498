export * from '@bridle/mcp/index'
