export * from '@bridle/server/node/index'
