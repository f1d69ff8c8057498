export * from '@bridle/server/cloudflare/index'
