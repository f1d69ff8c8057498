export * from '@bridle/client/index'
